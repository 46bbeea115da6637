/* Which answers have no decision any more, and which decisions no answer: see accepting.h. */
#include "worker/program/accepting.h"

#include <inttypes.h>
#include <stdio.h>

#include "producer/base/plural.h"
#include "worker/kafka/kafka_browse.h"
#include "worker/model/rows.h"
#include "worker/postgres/pg_partition.h"
#include "worker/program/by_hand.h"

/*
 * Finds the partition and how far it was answered. It is looked up behind the answers: they leave
 * when they are committed, so that one that goes on meanwhile does not look like one that lost
 * some.
 */
static enum usher_status find_loss(struct looking *looking, int32_t partition,
                                   struct by_hand_place *place, struct pg_loss *loss,
                                   struct usher_error *err)
{
    int32_t count;
    enum usher_status status = by_hand_find(looking, partition, place, err);
    if (status == USHER_OK)
        status = look_open_kafka(looking, BY_HAND_TIMEOUT_MS, &count, err);
    if (status == USHER_OK)
        status = kafka_browse_answered(looking->kafka, partition, &loss->highest_seq, err);
    if (status == USHER_OK)
        status = by_hand_find(looking, partition, place, err);
    loss->next_seq = place->next_seq;
    return status;
}

/* ---- decisions that were answered ---- */

static void say_owner(FILE *out, const struct by_hand_place *place)
{
    if (place->owner)
        fprintf(out, "worker %s owns it\n", place->owner);
}

static void say_what_is_lost(const struct looking *looking, int32_t partition,
                             const struct by_hand_place *place, const struct pg_loss *loss)
{
    FILE *out = looking->terminal.out;
    fprintf(out,
            "partition %" PRId32 ": the database lost the decisions from seq %" PRId64
            " to %" PRId64 ", whose answers customers have\n",
            partition, loss->next_seq, loss->highest_seq);
    fprintf(out,
            "it goes on with seq %" PRId64 " at offset %" PRId64
            ": requests from there on are decided again, and answered again\n",
            loss->highest_seq + 1, place->next_offset == OFFSET_NONE ? 0 : place->next_offset);
    say_owner(out, place);
}

static enum usher_status accept_loss(struct looking *looking, int32_t partition,
                                     const struct by_hand_place *place, const struct pg_loss *loss,
                                     bool *was_halted, struct usher_error *err)
{
    say_what_is_lost(looking, partition, place, loss);
    enum usher_status status = by_hand_agree(looking, "Go on after them?", err);
    return status == USHER_OK ? pg_partition_accept_loss(&looking->settings.postgres, partition,
                                                         loss, was_halted, err)
                              : status;
}

/* ---- decisions that were not published ---- */

static enum usher_status refuse(int32_t partition, const struct pg_loss *loss,
                                struct usher_error *err)
{
    usher_error_set(err, USHER_EXIT_BAD_INPUT,
                    "the result log of partition %" PRId32 " ends at seq %" PRId64
                    ", before %" PRId64
                    ", which is next, and the decisions behind those that are published are "
                    "there: the database lost nothing",
                    partition, loss->highest_seq, loss->next_seq);
    return USHER_FATAL;
}

static void say_gap(const struct looking *looking, int32_t partition,
                    const struct by_hand_place *place, const struct pg_gap *gap)
{
    FILE *out = looking->terminal.out;
    fprintf(out,
            "partition %" PRId32 ": the database lost %" PRId64 " decision%s of the seqs %" PRId64
            " to %" PRId64 " before %s published\n",
            partition, gap->count, PLURAL(gap->count), gap->first_seq, gap->last_seq,
            gap->count == 1 ? "it was" : "they were");
    fprintf(out, "in the place of each an answer is published that is `invalid` (`internal`), and "
                 "of no request: whoever waits for its answer never gets it\n");
    say_owner(out, place);
}

static enum usher_status accept_gap(struct looking *looking, int32_t partition,
                                    const struct by_hand_place *place, const struct pg_loss *loss,
                                    bool *was_halted, struct usher_error *err)
{
    const struct pg_settings *settings = &looking->settings.postgres;
    struct pg_gap gap = {.next_seq = loss->next_seq, .why = loss->why};
    enum usher_status status = pg_partition_find_gap(settings, partition, &gap, err);
    if (status == USHER_OK && gap.count == 0)
        return refuse(partition, loss, err);
    if (status != USHER_OK)
        return status;
    say_gap(looking, partition, place, &gap);
    status = by_hand_agree(looking, "Publish these instead?", err);
    return status == USHER_OK ? pg_partition_accept_gap(settings, partition, &gap, was_halted, err)
                              : status;
}

/* ---- both ---- */

enum usher_status accepting_run(struct looking *looking, int32_t partition, struct usher_error *err)
{
    struct by_hand_place place = {0};
    struct pg_loss loss = {0};
    bool was_halted;
    enum usher_status status = by_hand_why(looking, &loss.why, err);
    if (status == USHER_OK)
        status = find_loss(looking, partition, &place, &loss, err);
    if (status != USHER_OK)
        return status;
    bool answered = loss.highest_seq >= loss.next_seq;
    status = answered ? accept_loss(looking, partition, &place, &loss, &was_halted, err)
                      : accept_gap(looking, partition, &place, &loss, &was_halted, err);
    if (status == USHER_OK)
        by_hand_say_done(looking, was_halted);
    return status;
}
