/* Plays stories on the rig, and checks what is left when they end. */
#include "story.h"

#include <stdio.h>

#include "core_rig.h"
#include "worker/inventory/bookings.h"
#include "worker/inventory/inventory_state.h"

enum way {
    IN_MEMORY,
    FORGETFUL,
    RESTARTED,
    WAY_COUNT,
    LATE = WAY_COUNT,
};

enum {
    LATE_MS = 60000
};

static const char *const way_names[] = {"in memory", "forgetful", "restarted", "late"};

struct play {
    struct rig rig;
    uint32_t told; /* decisions of the database that the story has come to */
};

static void settle(struct play *play)
{
    struct rig *rig = &play->rig;
    uint32_t done = 1;
    while (done > 0) {
        done = rig_work(rig);
        rig_seal(rig);
        rig_commit(rig);
    }
}

static bool is_told(const struct story_step *step, size_t at, const struct decision_row *row)
{
    char place[200] = "";
    if (row && story_is_told(step->told[at], row->body, place))
        return true;
    (void)fprintf(stderr, "step     %s\nexpected %s\nanswer   %s\ndiffers  %s\n", step->line,
                  step->told[at], row ? row->body : "none", place);
    return false;
}

/* The next decision without a request, or NULL. */
static const struct decision_row *next_unrequested(struct play *play)
{
    const struct fake_database *database = play->rig.database;
    while (play->told < database->decision_count) {
        const struct decision_row *row = &database->decisions[play->told++];
        if (row->source_offset == OFFSET_NONE)
            return row;
    }
    return NULL;
}

/* What nobody asked for, from what is told at `at` on. */
static bool hear_unrequested(struct play *play, const struct story_step *step, size_t at)
{
    for (; at < step->told_count; at++)
        if (!is_told(step, at, next_unrequested(play)))
            return false;
    const struct decision_row *row = step->nothing ? next_unrequested(play) : NULL;
    if (row)
        (void)fprintf(stderr, "step     %s\nexpected nothing more\nanswer   %s\n", step->line,
                      row->body);
    return !row;
}

static bool play_step(struct play *play, const struct story_step *step)
{
    struct rig *rig = &play->rig;
    bool good = true;
    play->told = rig->database->decision_count;
    rig->now_ms += step->passes_ms;
    if (step->idle)
        return true;
    if (step->request) {
        const struct decision_row *row = rig_decide(rig, step->request);
        good = step->told_count == 0 || is_told(step, 0, row);
    } else {
        (void)rig_expire(rig);
    }
    settle(play);
    return good && hear_unrequested(play, step, step->request ? 1 : 0);
}

static bool play_once(const struct story *story, enum way way)
{
    static const struct inventory_limits nothing = {.bookings = 0, .resources = 0, .ids = 0};
    static struct play play;
    bool good = true;
    rig_open(&play.rig, way == FORGETFUL ? &nothing : &rig_no_limits);
    play.rig.database->leaves = way == FORGETFUL || way == RESTARTED ? way : 0;
    play.rig.lag_ms = way == LATE ? LATE_MS : 0;
    play.rig.now_ms += play.rig.lag_ms;
    play.told = 0;
    for (size_t i = 0; good && i < story->count; i++) {
        good = play_step(&play, &story->steps[i]);
        if (way == RESTARTED)
            rig_restart(&play.rig);
    }
    if (good) {
        fake_database_check(play.rig.database);
        struct resource *resource = inventory_resource(play.rig.inventory, "r");
        if (resource)
            resource_check(resource);
    } else {
        (void)fprintf(stderr, "way      %s\nstory    %s\n", way_names[way], story->title);
    }
    rig_close(&play.rig);
    return good;
}

bool story_play(const struct story *story)
{
    bool good = true;
    for (enum way way = IN_MEMORY; good && way < WAY_COUNT; way++)
        good = play_once(story, way);
    return good && (!story->late || play_once(story, LATE));
}
