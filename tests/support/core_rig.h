/*
 * The core driven as the allocator drives it, over a database in memory: JSON in (single quotes
 * will do), answers out. For tests of decisions, batches and what memory lacks.
 */
#ifndef TESTS_CORE_RIG_H
#define TESTS_CORE_RIG_H

#include "fake_database.h"
#include "worker/inventory/inventory.h"
#include "worker/rules/decide.h"
#include "worker/rules/prefetch.h"
#include "worker/rules/waiting.h"

enum {
    RIG_BATCHES = 4, /* in flight, and the open one */
    RIG_RECORDS = 64,
    RIG_UNREQUESTED = 1000
};

struct rig {
    struct inventory_limits limits;
    struct rules rules;
    struct inventory *inventory;
    struct fake_database *database; /* borrowed or own_database */
    struct fake_database own_database;
    struct batch batches[RIG_BATCHES]; /* oldest in flight first, then the open one */
    uint32_t in_flight;
    uint64_t number;
    int64_t next_seq, next_offset;
    int64_t now_ms; /* of the next batch; also when records are appended, but for … */
    int64_t lag_ms; /* … so long before: the worker comes late */
    int64_t log_ms;
    uint32_t unrequested_limit; /* unrequested decisions per batch; RIG_UNREQUESTED */
    struct usher_arena arena;   /* answers */
};

extern const struct inventory_limits rig_no_limits;

/* A partition that owns every key, with an empty database. Time starts at 1,000,000 ms. */
void rig_open(struct rig *rig, const struct inventory_limits *limits);
void rig_close(struct rig *rig);

/* Loses what was not committed and begins with empty memory. Offsets and seqs go back. */
void rig_restart(struct rig *rig);

/* ---- one batch, step by step ---- */

struct batch *rig_batch(struct rig *rig); /* the open one */

/*
 * Loads what is needed, expires what is due, serves who waits and decides the request, in the open
 * batch. Where that is full, or the request wants nothing to be in flight, what is there is
 * sealed and committed before. Returns its decision, valid until the batch is committed.
 */
const struct decision_row *rig_decide(struct rig *rig, const char *json);

/* The same for any record; `internal`: the database rejects it. */
const struct decision_row *rig_decide_record(struct rig *rig, const struct log_record *record,
                                             bool internal);

/* Decodes a valid request in the arena of the open batch. */
struct input rig_input(struct rig *rig, const char *json);

/* Returns what must be loaded to decide the request. */
struct load_request rig_prefetch(struct rig *rig, const char *json);

/* Serves a load request and takes the result into memory; returns what was served. */
struct load_result rig_fetch(struct rig *rig, const struct load_request *request);

/* Loads what the input needs (NULL: none) and what is due, as comes before each decision. */
void rig_load(struct rig *rig, const struct input *input, int64_t until_ms);

/* Expires what is due at now, without a record. Returns how many. */
uint32_t rig_expire(struct rig *rig);

/* Does some of the work that outlasts a batch, in the open batch. Returns how much. */
uint32_t rig_work(struct rig *rig);

void rig_seal(struct rig *rig);   /* works; the batch at hand is in flight now */
void rig_commit(struct rig *rig); /* the oldest in flight is in the database now */

/* ---- all of it at once ---- */

/* Decides, seals and commits; the answer is decoded and valid until rig_close. */
const struct usher_answer *rig_ask(struct rig *rig, const char *json);

/*
 * The same; whether the body has `fragment` (single quotes will do) in it. Says on standard error
 * what it has if not.
 */
bool rig_says(struct rig *rig, const char *json, const char *fragment);

/* A request and what its answer has in it. */
struct rig_step {
    const char *request, *says;
};

/* Asks one after another, up to the first that says something else. */
bool rig_play(struct rig *rig, const struct rig_step *steps, size_t count);
#define RIG_PLAY(rig, steps) rig_play(rig, steps, sizeof(steps) / sizeof(*(steps)))

/* The whole answer of a decision, decoded, valid until rig_close. */
const struct usher_answer *rig_answer(struct rig *rig, const struct decision_row *row);

/* The resource in memory; it must be there. */
struct resource *rig_resource(struct rig *rig, const char *id);

#endif
