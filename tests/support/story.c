/*
 * Plays stories on the rig, and checks what is left when they end.
 */
#include "story.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "quotes.h"
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

struct story {
    struct rig rig;
    uint32_t told; /* decisions of the database that the story has come to */
};

static void settle(struct story *story)
{
    struct rig *rig = &story->rig;
    uint32_t done = 1;
    while (done > 0) {
        done = rig_work(rig);
        rig_seal(rig);
        rig_commit(rig);
    }
}

static bool compare(struct story *story, const struct decision_row *row,
                    const struct rig_step *step)
{
    if (row && strstr(row->body, quotes_double(&story->rig.arena, step->says)))
        return true;
    (void)fprintf(stderr, "step     %s\nexpected %s\nanswer   %s\n", step->request, step->says,
                  row ? row->body : "none");
    return false;
}

/* The next decision without a request, or NULL. */
static const struct decision_row *next_unrequested(struct story *story)
{
    const struct fake_database *database = story->rig.database;
    while (story->told < database->decision_count) {
        const struct decision_row *row = &database->decisions[story->told++];
        if (row->source_offset == OFFSET_NONE)
            return row;
    }
    return NULL;
}

static bool play_time(struct story *story, const struct rig_step *step)
{
    struct rig *rig = &story->rig;
    story->told = rig->database->decision_count;
    rig->now_ms += strtoll(step->request + strlen(STORY_AFTER), NULL, 10);
    uint32_t ended = rig_expire(rig);
    settle(story);
    if (*step->says)
        return compare(story, next_unrequested(story), step);
    return ended == 0;
}

static bool play_request(struct story *story, const struct rig_step *step)
{
    struct rig *rig = &story->rig;
    bool good = compare(story, rig_decide(rig, step->request), step);
    settle(story);
    return good;
}

static bool play_step(struct story *story, const struct rig_step *step)
{
    if (strcmp(step->request, STORY_UNREQUESTED) == 0)
        return compare(story, next_unrequested(story), step);
    if (strcmp(step->request, STORY_NOTHING) == 0) {
        const struct decision_row *row = next_unrequested(story);
        if (row)
            (void)fprintf(stderr, "expected nothing more\nanswer   %s\n", row->body);
        return !row;
    }
    if (strncmp(step->request, STORY_AFTER, strlen(STORY_AFTER)) == 0)
        return play_time(story, step);
    story->told = story->rig.database->decision_count;
    if (strncmp(step->request, STORY_LATER, strlen(STORY_LATER)) == 0) {
        story->rig.now_ms += strtoll(step->request + strlen(STORY_LATER), NULL, 10);
        return true;
    }
    return play_request(story, step);
}

static bool play(const struct rig_step *steps, size_t count, enum way way)
{
    static const struct inventory_limits nothing = {.bookings = 0, .resources = 0, .ids = 0};
    static struct story story;
    bool good = true;
    rig_open(&story.rig, way == FORGETFUL ? &nothing : &rig_no_limits);
    story.rig.database->leaves = way == FORGETFUL || way == RESTARTED ? way : 0;
    story.rig.lag_ms = way == LATE ? LATE_MS : 0;
    story.rig.now_ms += story.rig.lag_ms;
    story.told = 0;
    for (size_t i = 0; good && i < count; i++) {
        good = play_step(&story, &steps[i]);
        if (way == RESTARTED)
            rig_restart(&story.rig);
    }
    if (good) {
        fake_database_check(story.rig.database);
        struct resource *resource = inventory_resource(story.rig.inventory, "r");
        if (resource)
            resource_check(resource);
    } else {
        (void)fprintf(stderr, "way      %s\n", way_names[way]);
    }
    rig_close(&story.rig);
    return good;
}

bool story_play_late(const struct rig_step *steps, size_t count)
{
    return story_play(steps, count) && play(steps, count, LATE);
}

bool story_play(const struct rig_step *steps, size_t count)
{
    bool good = true;
    for (enum way way = IN_MEMORY; good && way < WAY_COUNT; way++)
        good = play(steps, count, way);
    return good;
}
