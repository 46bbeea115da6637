/*
 * Turns the seats of a plan into sections and rows, and checks what concerns several of them.
 */
#include "producer/codec/seating_plan_seats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "producer/codec/definition_rows.h"

enum {
    PLACE_SIZE = 256
};

/* ---- faults ---- */

static const char *row_place(const struct plan_run *run, char text[PLACE_SIZE])
{
    if (!run->zone)
        (void)snprintf(text, PLACE_SIZE, "row \"%s\"", run->row);
    else
        (void)snprintf(text, PLACE_SIZE, "zone \"%s\", row \"%s\"", run->zone, run->row);
    return text;
}

static enum usher_status row_fail(const struct message_reader *reader, const struct plan_run *run,
                                  uint32_t count, const char *what, uint32_t most)
{
    char place[PLACE_SIZE];
    return message_fail(reader, NULL, NULL, "%s: %u %s exceed the maximum of %u",
                        row_place(run, place), count, what, most);
}

static enum usher_status seat_fail(const struct message_reader *reader, const struct plan_run *run,
                                   const char *seat, const char *what)
{
    char place[PLACE_SIZE];
    return message_fail(reader, NULL, NULL, "%s, seat \"%s\": %s", row_place(run, place), seat,
                        what);
}

/* ---- names ---- */

struct named_seat {
    const char *name;
    uint32_t seat;
};

static int compare_names(const void *left, const void *right)
{
    const struct named_seat *a = left, *b = right;
    int order = strcmp(a->name, b->name);
    return order != 0 ? order : (a->seat > b->seat) - (a->seat < b->seat);
}

static const struct plan_run *run_of(const struct plan_seats *seats, uint32_t seat)
{
    const struct plan_run *run = seats->runs;
    while (seat >= run->first + run->count)
        run++;
    return run;
}

static enum usher_status names_check(const struct message_reader *reader,
                                     const struct plan_seats *seats)
{
    struct named_seat *named = usher_arena_alloc(reader->arena, seats->count * sizeof *named);
    for (uint32_t i = 0; i < seats->count; i++)
        named[i] = (struct named_seat){seats->names[i], i};
    qsort(named, seats->count, sizeof *named, compare_names);
    for (uint32_t i = 1; i < seats->count; i++) {
        if (strcmp(named[i - 1].name, named[i].name) != 0)
            continue;
        char place[PLACE_SIZE];
        row_place(run_of(seats, named[i - 1].seat), place);
        return seat_fail(reader, run_of(seats, named[i].seat), named[i].name,
                         usher_arena_format(reader->arena, "also in %s", place));
    }
    return USHER_OK;
}

/* ---- ranks ---- */

/* All seats of a row are ranked, or none: unranked ones could not be compared. */
static enum usher_status ranks_check(const struct message_reader *reader,
                                     const struct plan_seats *seats, const struct plan_run *run,
                                     bool *ranked)
{
    uint32_t count = 0, unranked = run->first;
    for (uint32_t seat = run->first; seat < run->first + run->count; seat++)
        if (seats->ranks[seat] == PLAN_UNRANKED)
            unranked = seat;
        else
            count++;
    *ranked = count > 0;
    if (count == 0 || count == run->count)
        return USHER_OK;
    return seat_fail(reader, run, seats->names[unranked],
                     "no rank, but others in its row have one");
}

/* ---- features ---- */

struct feature_place {
    const char *feature;
    uint32_t place;
};

static int compare_features(const void *left, const void *right)
{
    const struct feature_place *a = left, *b = right;
    int order = strcmp(a->feature, b->feature);
    return order != 0 ? order : (a->place > b->place) - (a->place < b->place);
}

static uint32_t features_gather(const struct plan_seats *seats, const struct plan_run *run,
                                struct feature_place *found)
{
    uint32_t count = 0;
    for (uint32_t place = 0; place < run->count; place++) {
        const struct plan_features *features = &seats->features[run->first + place];
        for (uint32_t i = 0; i < features->count; i++)
            found[count++] = (struct feature_place){features->names[i], place};
    }
    qsort(found, count, sizeof *found, compare_features);
    return count;
}

/* The features of a row with their places, each place once. `found` is sorted. */
static void features_group(const struct feature_place *found, uint32_t count,
                           struct usher_arena *arena, struct usher_row *row)
{
    struct usher_row_feature *features = usher_arena_alloc(arena, count * sizeof *features);
    uint32_t *places = usher_arena_alloc(arena, count * sizeof *places);
    uint32_t written = 0;
    for (uint32_t i = 0; i < count; i++) {
        bool is_new = i == 0 || strcmp(found[i - 1].feature, found[i].feature) != 0;
        if (!is_new && found[i - 1].place == found[i].place)
            continue;
        if (is_new) {
            features[row->feature_count++] =
                (struct usher_row_feature){found[i].feature, places + written, 0};
        }
        places[written++] = found[i].place;
        features[row->feature_count - 1].seat_count++;
    }
    row->features = features;
}

static enum usher_status features_make(const struct message_reader *reader,
                                       const struct plan_seats *seats, const struct plan_run *run,
                                       struct usher_row *row)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < run->count; i++)
        most += seats->features[run->first + i].count;
    if (most == 0)
        return USHER_OK;
    struct feature_place *found = usher_arena_alloc(reader->arena, most * sizeof *found);
    features_group(found, features_gather(seats, run, found), reader->arena, row);
    if (row->feature_count <= DEFINITION_FEATURES_MAX)
        return USHER_OK;
    return row_fail(reader, run, row->feature_count, "features", DEFINITION_FEATURES_MAX);
}

/* ---- rows and sections ---- */

static enum usher_status row_make(const struct message_reader *reader,
                                  const struct plan_seats *seats, const struct plan_run *run,
                                  struct usher_row *row)
{
    if (run->count > DEFINITION_ROW_SEATS_MAX)
        return row_fail(reader, run, run->count, "seats", DEFINITION_ROW_SEATS_MAX);
    bool ranked = false;
    enum usher_status status = ranks_check(reader, seats, run, &ranked);
    if (status != USHER_OK)
        return status;
    row->row = run->row;
    row->seats = run->count;
    row->first = 1;
    row->zone = run->zone;
    row->names = seats->names + run->first;
    row->ranks = ranked ? seats->ranks + run->first : NULL;
    row->x = seats->x + run->first;
    row->y = seats->y + run->first;
    return features_make(reader, seats, run, row);
}

/* The rows of each category side by side in one array; `next` has where the next one of each goes.
 */
static struct usher_row *rows_lay_out(const struct plan_seats *seats, uint32_t category_count,
                                      struct usher_arena *arena, uint32_t *next)
{
    for (uint32_t i = 0; i < seats->run_count; i++)
        next[seats->runs[i].category]++;
    uint32_t start = 0;
    for (uint32_t i = 0; i < category_count; i++) {
        uint32_t count = next[i];
        next[i] = start;
        start += count;
    }
    return usher_arena_alloc(arena, seats->run_count * sizeof(struct usher_row));
}

enum usher_status plan_sections(const struct plan_seats *seats,
                                const struct plan_categories *categories,
                                const struct message_reader *reader,
                                const struct usher_section **sections, uint32_t *count)
{
    struct usher_arena *arena = reader->arena;
    enum usher_status status = names_check(reader, seats);
    uint32_t *next = usher_arena_alloc(arena, categories->count * sizeof *next);
    struct usher_row *rows = rows_lay_out(seats, categories->count, arena, next);
    for (uint32_t i = 0; status == USHER_OK && i < seats->run_count; i++) {
        const struct plan_run *run = &seats->runs[i];
        status = row_make(reader, seats, run, &rows[next[run->category]++]);
    }
    if (status != USHER_OK)
        return status;
    struct usher_section *made = usher_arena_alloc(arena, categories->count * sizeof *made);
    uint32_t start = 0;
    for (uint32_t i = 0; i < categories->count; i++) {
        if (next[i] > start) {
            made[(*count)++] = (struct usher_section){
                .section = categories->names[i],
                .rows = rows + start,
                .row_count = next[i] - start,
            };
        }
        start = next[i];
    }
    *sections = made;
    return USHER_OK;
}
