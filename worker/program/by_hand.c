/* Where a partition stands, and the question before it is moved: see by_hand.h. */
#include "worker/program/by_hand.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "producer/base/utf8.h"
#include "worker/model/rows.h"

enum {
    WHY_MAX = 1000 /* bytes: what a list can show */
};

static const struct option_spec by_hand_specs[] = {
    {.name = "to",
     .type = OPTION_INTEGER,
     .value_name = "OFFSET",
     .help = "skip: offset of the first request to be decided again"},
    {.name = "topic",
     .choices = "requests|results|both",
     .help = "accept-topic: which was recreated"},
    {.name = "published",
     .type = OPTION_INTEGER,
     .value_name = "SEQ",
     .help = "accept-topic: publish the answers after this seq again, which some consumer has not "
             "read; default: those that were never published"},
    {.name = "why",
     .value_name = "TEXT",
     .help = "skip, accept-loss, accept-topic: the reason, which is recorded; at most 1,000 bytes"},
    {.name = "yes", .type = OPTION_BOOL, .help = "skip, accept-loss, accept-topic: do not ask"},
};

const struct option_group by_hand_options = WORKER_GROUP("Moved by hand", by_hand_specs);

enum {
    AT_PARTITION,
    AT_STATE,
    AT_OWNER,
    AT_NEXT_OFFSET,
    AT_NEXT_SEQ,
    AT_PUBLISHED_SEQ,
    AT_COUNT
};

static const char *const columns[AT_COUNT] = {
    [AT_PARTITION] = "partition", [AT_STATE] = "state",
    [AT_OWNER] = "owner",         [AT_NEXT_OFFSET] = "next_offset",
    [AT_NEXT_SEQ] = "next_seq",   [AT_PUBLISHED_SEQ] = "published_seq",
};

/* The columns are never null but for the offset of a partition that never started, and owners. */
static struct by_hand_place read_place(const char *const *row)
{
    return (struct by_hand_place){
        .partition = (int32_t)strtol(row[AT_PARTITION], NULL, 10),
        .next_offset = row[AT_NEXT_OFFSET] ? strtoll(row[AT_NEXT_OFFSET], NULL, 10) : OFFSET_NONE,
        .next_seq = strtoll(row[AT_NEXT_SEQ], NULL, 10),
        .published_seq = strtoll(row[AT_PUBLISHED_SEQ], NULL, 10),
        .owner = strcmp(row[AT_STATE], "owned") == 0 ? row[AT_OWNER] : NULL,
        .halted = strcmp(row[AT_STATE], "halted") == 0,
    };
}

enum usher_status by_hand_list(struct looking *looking, struct by_hand_place **places,
                               uint32_t *count, struct usher_error *err)
{
    struct pg_view_rows rows;
    const struct pg_view_question question = {
        .view = PG_VIEW_PARTITIONS, .columns = columns, .column_count = AT_COUNT};
    enum usher_status status = pg_views_ask(looking->views, &question, &looking->arena, &rows, err);
    if (status != USHER_OK)
        return status;
    *count = rows.count;
    *places = usher_arena_alloc(&looking->arena, (rows.count + 1) * sizeof **places);
    for (uint32_t i = 0; i < rows.count; i++)
        (*places)[i] = read_place(rows.values + (size_t)i * AT_COUNT);
    return USHER_OK;
}

enum usher_status by_hand_find(struct looking *looking, int32_t partition,
                               struct by_hand_place *place, struct usher_error *err)
{
    struct by_hand_place *places;
    uint32_t count;
    enum usher_status status = by_hand_list(looking, &places, &count, err);
    for (uint32_t i = 0; status == USHER_OK && i < count; i++) {
        if (places[i].partition == partition) {
            *place = places[i];
            return USHER_OK;
        }
    }
    if (status == USHER_OK)
        usher_error_set(err, USHER_EXIT_BAD_INPUT, "no worker ever took partition %" PRId32,
                        partition);
    return status == USHER_OK ? USHER_FATAL : status;
}

enum usher_status by_hand_why(const struct looking *looking, const char **why,
                              struct usher_error *err)
{
    const char *text = options_text(&looking->options, "why");
    size_t size = text ? strlen(text) : 0;
    *why = text;
    if (size == 0)
        usher_error_set(err, USHER_EXIT_USAGE,
                        "why? --why TEXT is missing: it is recorded for whoever asks later");
    else if (size > WHY_MAX)
        usher_error_set(err, USHER_EXIT_USAGE,
                        "could not read --why: %zu bytes, and the maximum is %d", size, WHY_MAX);
    else if (!utf8_is_valid(text, size))
        usher_error_set(err, USHER_EXIT_USAGE, "could not read --why: it is not UTF-8");
    else
        return USHER_OK;
    return USHER_FATAL;
}

enum usher_status by_hand_agree(const struct looking *looking, const char *question,
                                struct usher_error *err)
{
    char said[8] = "";
    if (options_bool(&looking->options, "yes"))
        return USHER_OK;
    if (isatty(STDIN_FILENO) != 1) {
        usher_error_set(err, USHER_EXIT_USAGE,
                        "nothing was changed: nobody is there to ask; --yes");
        return USHER_FATAL;
    }
    fprintf(stderr, "%s (yes) ", question);
    if (fgets(said, sizeof said, stdin) && strcmp(said, "yes\n") == 0)
        return USHER_OK;
    usher_error_set(err, USHER_EXIT_USAGE, "nothing was changed");
    return USHER_FATAL;
}

void by_hand_say_done(const struct looking *looking, bool was_halted)
{
    fprintf(looking->terminal.out, "done%s\n",
            was_halted ? ": its worker tries again within seconds" : "");
}
