/* Which answers have no decision any more, for a person to accept: see accepting.h. */
#include "worker/program/accepting.h"

#include <inttypes.h>
#include <stdio.h>

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
    if (status != USHER_OK || loss->highest_seq >= loss->next_seq)
        return status;
    usher_error_set(err, USHER_EXIT_BAD_INPUT,
                    "the result log of partition %" PRId32 " ends at seq %" PRId64
                    ", before %" PRId64 ", which is next: the database lost nothing",
                    partition, loss->highest_seq, loss->next_seq);
    return USHER_FATAL;
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
    if (place->owner)
        fprintf(out, "worker %s owns it\n", place->owner);
}

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
    say_what_is_lost(looking, partition, &place, &loss);
    status = by_hand_agree(looking, "Go on after them?", err);
    if (status == USHER_OK)
        status = pg_partition_accept_loss(&looking->settings.postgres, partition, &loss,
                                          &was_halted, err);
    if (status == USHER_OK)
        by_hand_say_done(looking, was_halted);
    return status;
}
