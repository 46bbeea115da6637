/* What lies between a partition's position and an offset, for a person to decide: see passing.h. */
#include "worker/program/passing.h"

#include <inttypes.h>

#include "producer/base/plural.h"
#include "producer/terminal/progress.h"
#include "usher/message.h"
#include "worker/kafka/kafka_browse.h"
#include "worker/postgres/pg_partition.h"
#include "worker/program/by_hand.h"

struct passing {
    struct looking *looking;
    int32_t partition;
    struct pg_skip skip;
    const char *owner; /* whose session is there; NULL: nobody's */
    int64_t shown;
    struct usher_arena arena; /* of one request */
    struct progress progress;
    struct browsed browsed;
};

static enum usher_status check_target(const struct passing *passing, struct usher_error *err)
{
    if (passing->skip.to > passing->skip.from)
        return USHER_OK;
    usher_error_set(err, USHER_EXIT_BAD_INPUT,
                    "partition %" PRId32 " stands at offset %" PRId64
                    " already: what was decided cannot be decided again",
                    passing->partition, passing->skip.from);
    return USHER_FATAL;
}

/* ---- what is lost ---- */

static void show_request(void *self, const struct browsed_record *record)
{
    struct passing *passing = self;
    struct usher_request request = {0};
    FILE *out = passing->looking->terminal.out;
    progress_show(&passing->progress, "read up to offset %" PRId64, record->offset);
    if (passing->shown == options_integer(&passing->looking->options, "limit"))
        return;
    progress_clear(&passing->progress);
    usher_arena_reset(&passing->arena);
    passing->shown++;
    fprintf(out, "  %" PRId64 "  ", record->offset);
    if (record->value && usher_request_decode(record->value, record->value_size, &passing->arena,
                                              &request, NULL) == USHER_OK)
        fprintf(out, "%s  %s  %s\n", request.resource, usher_op_name(request.op),
                request.request_id);
    else
        fprintf(out, "cannot be read: it would be answered invalid\n");
}

static enum usher_status browse(struct passing *passing, struct usher_error *err)
{
    const struct browse range = {.partition = passing->partition,
                                 .from = passing->skip.from,
                                 .to = passing->skip.to,
                                 .visit = show_request,
                                 .self = passing};
    int32_t count;
    progress_begin(&passing->progress);
    enum usher_status status = look_open_kafka(passing->looking, BY_HAND_TIMEOUT_MS, &count, err);
    if (status == USHER_OK)
        status = kafka_browse(passing->looking->kafka, &range, &passing->browsed, err);
    progress_clear(&passing->progress);
    passing->skip.records = passing->browsed.records;
    return status;
}

static void say_what_is_lost(const struct passing *passing)
{
    FILE *out = passing->looking->terminal.out;
    const struct browsed *browsed = &passing->browsed;
    if (browsed->records > passing->shown)
        fprintf(out, "  … and %" PRId64 " more: see --limit\n", browsed->records - passing->shown);
    if (passing->skip.from < browsed->start)
        fprintf(out, "  before offset %" PRId64 " Kafka has nothing any more\n", browsed->start);
    if (browsed->unreadable_at != OFFSET_NONE)
        fprintf(out, "  from offset %" PRId64 " on: %s\n", browsed->unreadable_at,
                browsed->why.text);
    fprintf(out,
            "partition %" PRId32 " goes on at offset %" PRId64 ": %" PRId64
            " request%s that Kafka has will never be answered\n",
            passing->partition, passing->skip.to, browsed->records, PLURAL(browsed->records));
    if (passing->owner)
        fprintf(out, "worker %s owns it, and what it has not committed is decided again\n",
                passing->owner);
}

/* ---- done ---- */

static enum usher_status pass(struct passing *passing, struct usher_error *err)
{
    bool was_halted;
    struct by_hand_place place;
    enum usher_status status = by_hand_find(passing->looking, passing->partition, &place, err);
    if (status != USHER_OK)
        return status;
    passing->skip.from = place.next_offset;
    passing->owner = place.owner;
    status = check_target(passing, err);
    if (status == USHER_OK)
        status = browse(passing, err);
    if (status != USHER_OK)
        return status;
    say_what_is_lost(passing);
    status = by_hand_agree(passing->looking, "Pass over them?", err);
    if (status == USHER_OK)
        status = pg_partition_skip(&passing->looking->settings.postgres, passing->partition,
                                   &passing->skip, &was_halted, err);
    if (status == USHER_OK)
        by_hand_say_done(passing->looking, was_halted);
    return status;
}

enum usher_status passing_run(struct looking *looking, int32_t partition, struct usher_error *err)
{
    struct passing passing = {.looking = looking, .partition = partition};
    passing.skip.to = options_integer(&looking->options, "to");
    if (!options_has(&looking->options, "to")) {
        usher_error_set(err, USHER_EXIT_USAGE,
                        "where does the partition go on? --to OFFSET is missing");
        return USHER_FATAL;
    }
    enum usher_status status = by_hand_why(looking, &passing.skip.why, err);
    if (status == USHER_OK)
        status = pass(&passing, err);
    usher_arena_deinit(&passing.arena);
    return status;
}
