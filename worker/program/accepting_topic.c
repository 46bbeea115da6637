/* What new topics mean for partitions, for a person to accept: see accepting_topic.h. */
#include "worker/program/accepting_topic.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "worker/kafka/kafka_browse.h"
#include "worker/model/rows.h"
#include "worker/postgres/pg_partition.h"
#include "worker/program/by_hand.h"

struct accepting {
    struct looking *looking;
    struct pg_new_topics topics; /* but for the position, which each partition has */
    struct by_hand_place *places;
    uint32_t count;
    bool any_halted;    /* of all partitions */
    int32_t partitions; /* of the topics */
    int64_t *ends;      /* of the requests, by partition */
};

static bool has_requests(const struct accepting *accepting)
{
    return strcmp(accepting->topics.topics, "results") != 0;
}

static bool has_results(const struct accepting *accepting)
{
    return strcmp(accepting->topics.topics, "requests") != 0;
}

/* ---- what was asked for ---- */

static enum usher_status read_options(struct accepting *accepting, struct usher_error *err)
{
    const struct options *options = &accepting->looking->options;
    accepting->topics.topics = options_text(options, "topic");
    accepting->topics.published_seq =
        options_has(options, "published") ? options_integer(options, "published") : PG_SEQ_NONE;
    if (!accepting->topics.topics)
        usher_error_set(err, USHER_EXIT_USAGE,
                        "which topic was recreated? --topic requests, results or both is missing");
    else if (accepting->topics.published_seq != PG_SEQ_NONE && !has_results(accepting))
        usher_error_set(err, USHER_EXIT_USAGE,
                        "--published is about answers: use it with --topic results or both");
    else
        return by_hand_why(accepting->looking, &accepting->topics.why, err);
    return USHER_FATAL;
}

/* All partitions that a worker ever took, or the one. */
static enum usher_status find_places(struct accepting *accepting, int32_t partition,
                                     struct usher_error *err)
{
    struct looking *looking = accepting->looking;
    enum usher_status status = by_hand_list(looking, &accepting->places, &accepting->count, err);
    for (uint32_t i = 0; status == USHER_OK && i < accepting->count; i++)
        accepting->any_halted |= accepting->places[i].halted;
    if (status != USHER_OK || !options_has(&looking->options, "partition"))
        return status;
    accepting->places = usher_arena_alloc(&looking->arena, sizeof *accepting->places);
    accepting->count = 1;
    return by_hand_find(looking, partition, accepting->places, err);
}

static enum usher_status find_ends(struct accepting *accepting, struct usher_error *err)
{
    struct looking *looking = accepting->looking;
    enum usher_status status =
        look_open_kafka(looking, BY_HAND_TIMEOUT_MS, &accepting->partitions, err);
    if (status != USHER_OK)
        return status;
    accepting->ends =
        usher_arena_alloc(&looking->arena, (size_t)accepting->partitions * sizeof *accepting->ends);
    return kafka_base_ends(looking->kafka, accepting->partitions, accepting->ends, err);
}

/* ---- whether it can be done ---- */

/*
 * Whoever is connected could still publish an answer of before. With a new topic of requests it can
 * do no harm, for it is fenced; but where no partition found out, there may be no new topic.
 */
static enum usher_status check_unattended(const struct accepting *accepting,
                                          const struct by_hand_place *place,
                                          struct usher_error *err)
{
    if (!place->owner || (accepting->any_halted && !has_results(accepting)))
        return USHER_OK;
    usher_error_set(err, USHER_EXIT_BAD_INPUT,
                    "worker %s has a session for partition %" PRId32
                    " and has not halted: stop it first",
                    place->owner, place->partition);
    return USHER_FATAL;
}

/* A consumer takes what comes behind a higher seq for a repeat. */
static enum usher_status check_answers(const struct accepting *accepting,
                                       const struct by_hand_place *place, struct usher_error *err)
{
    int64_t highest = 0;
    int64_t published = accepting->topics.published_seq;
    enum usher_status status =
        kafka_browse_answered(accepting->looking->kafka, place->partition, &highest, err);
    if (status != USHER_OK)
        return status;
    if (highest >= place->next_seq)
        usher_error_set(err, USHER_EXIT_BAD_INPUT,
                        "the result log of partition %" PRId32 " holds seq %" PRId64
                        ", but %" PRId64 " is next: the database lost commits; see partition "
                        "accept-loss",
                        place->partition, highest, place->next_seq);
    else if (published != PG_SEQ_NONE && highest > published)
        usher_error_set(err, USHER_EXIT_BAD_INPUT,
                        "the result log of partition %" PRId32 " holds seq %" PRId64
                        " already: what follows with a lower seq would be taken for a repeat",
                        place->partition, highest);
    else
        return USHER_OK;
    return USHER_FATAL;
}

static enum usher_status check(const struct accepting *accepting, const struct by_hand_place *place,
                               struct usher_error *err)
{
    enum usher_status status = check_unattended(accepting, place, err);
    if (status == USHER_OK && place->partition >= accepting->partitions) {
        usher_error_set(err, USHER_EXIT_BAD_INPUT,
                        "the new topics have no partition %" PRId32
                        ": their number of partitions must be as before",
                        place->partition);
        return USHER_FATAL;
    }
    return status == USHER_OK && has_results(accepting) ? check_answers(accepting, place, err)
                                                        : status;
}

/* ---- done ---- */

static void say_what_changes(const struct accepting *accepting, const struct by_hand_place *place)
{
    FILE *out = accepting->looking->terminal.out;
    int64_t published = accepting->topics.published_seq;
    fprintf(out, "partition %" PRId32 ":", place->partition);
    if (has_requests(accepting))
        fprintf(out,
                " offset %" PRId64 " is next in the topic of requests that was, whatever follows "
                "there is lost; it goes on at the start of the new one, which ends at offset "
                "%" PRId64,
                place->next_offset == OFFSET_NONE ? 0 : place->next_offset,
                accepting->ends[place->partition]);
    if (has_results(accepting))
        fprintf(out,
                "%s answers behind seq %" PRId64 " of %" PRId64
                " are published to the new topic of results",
                has_requests(accepting) ? ";" : "",
                published != PG_SEQ_NONE && published < place->published_seq ? published
                                                                             : place->published_seq,
                place->next_seq - 1);
    fputc('\n', out);
}

static enum usher_status accept(struct accepting *accepting, const struct by_hand_place *place,
                                bool *was_halted, struct usher_error *err)
{
    bool halted = false;
    accepting->topics.next_offset = place->next_offset;
    accepting->topics.next_seq = place->next_seq;
    enum usher_status status = pg_partition_accept_topic(
        &accepting->looking->settings.postgres, place->partition, &accepting->topics, &halted, err);
    *was_halted |= halted || place->owner;
    return status;
}

enum usher_status accepting_topic_run(struct looking *looking, int32_t partition,
                                      struct usher_error *err)
{
    struct accepting accepting = {.looking = looking};
    bool was_halted = false;
    enum usher_status status = read_options(&accepting, err);
    if (status == USHER_OK)
        status = find_places(&accepting, partition, err);
    if (status == USHER_OK)
        status = find_ends(&accepting, err);
    for (uint32_t i = 0; status == USHER_OK && i < accepting.count; i++)
        status = check(&accepting, &accepting.places[i], err);
    for (uint32_t i = 0; status == USHER_OK && i < accepting.count; i++)
        say_what_changes(&accepting, &accepting.places[i]);
    if (status == USHER_OK)
        status = by_hand_agree(looking, "Go on with the new topics?", err);
    for (uint32_t i = 0; status == USHER_OK && i < accepting.count; i++)
        status = accept(&accepting, &accepting.places[i], &was_halted, err);
    if (status == USHER_OK)
        by_hand_say_done(looking, was_halted);
    return status;
}
