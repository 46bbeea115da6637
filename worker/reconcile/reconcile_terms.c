/*
 * Proofs about the terms of a resource: that they can be read, name pools that there are or were,
 * and which quotas and customers are above their limits. Knows neither Redis nor the units' proofs.
 */
#include "worker/reconcile/reconcile_terms.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "producer/base/plural.h"
#include "producer/codec/stored.h"
#include "worker/inventory/terms.h"

struct terms_proof {
    const struct loaded_resource *loaded;
    const struct reconcile_report *report;
    struct usher_arena arena;
    struct stored_terms terms;
    int64_t *used; /* units held or sold, by pool */
    bool *by_rate; /* whether they are counted at each rate, by pool */
    uint64_t differences;
};

static void differ(struct terms_proof *proof, const char *text)
{
    proof->report->line(proof->report->context, proof->loaded->row.id, text);
    proof->differences++;
}

static void note(const struct terms_proof *proof, const char *text)
{
    proof->report->note(proof->report->context, proof->loaded->row.id, text);
}

/* ---- names ---- */

static bool is_named(const char *const *names, uint32_t count, const char *pool)
{
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(names[i], pool) == 0)
            return true;
    return false;
}

static void prove_names(struct terms_proof *proof, const char *const *names, uint32_t count)
{
    const struct loaded_resource *loaded = proof->loaded;
    for (uint32_t i = 0; i < count; i++) {
        bool known = false;
        for (uint32_t pool = 0; pool < loaded->pool_count && !known; pool++)
            known = strcmp(loaded->pools[pool].name, names[i]) == 0;
        if (!known) {
            differ(proof,
                   usher_arena_format(&proof->arena, "its terms name \"%s\", which never existed",
                                      names[i]));
        }
    }
}

/* ---- quotas ---- */

/* Units of the quota on a night, or of what has no nights. */
static int64_t used_on(const struct terms_proof *proof, const struct usher_quota *quota,
                       int32_t night)
{
    const struct loaded_resource *loaded = proof->loaded;
    int64_t used = 0;
    for (uint32_t i = 0; i < loaded->pool_count; i++)
        if (loaded->pools[i].night == night &&
            is_named(quota->pools, quota->pool_count, loaded->pools[i].name))
            used += proof->used[i];
    return used;
}

/* The night that uses most of it; NIGHT_NONE where it has none. */
static int32_t fullest_night(const struct terms_proof *proof, const struct usher_quota *quota)
{
    const struct loaded_resource *loaded = proof->loaded;
    int32_t fullest = NIGHT_NONE;
    int64_t most = -1;
    for (uint32_t i = 0; i < loaded->pool_count; i++) {
        const struct pool_row *pool = &loaded->pools[i];
        if (pool->night == NIGHT_NONE || !is_named(quota->pools, quota->pool_count, pool->name))
            continue;
        int64_t used = used_on(proof, quota, pool->night);
        fullest = used > most ? pool->night : fullest;
        most = used > most ? used : most;
    }
    return fullest;
}

static void note_quota(struct terms_proof *proof, const struct usher_quota *quota)
{
    int32_t night = fullest_night(proof, quota);
    int64_t used = used_on(proof, quota, NIGHT_NONE);
    char on[4 + USHER_NIGHT_SIZE] = "";
    if (night != NIGHT_NONE) {
        used += used_on(proof, quota, night);
        memcpy(on, " on ", 4);
        usher_night_format(night, on + 4);
    }
    if (used > quota->limit) {
        note(proof, usher_arena_format(&proof->arena,
                                       "quota \"%s\" allows %" PRId64 " unit%s, %" PRId64
                                       " held or sold%s",
                                       quota->quota, quota->limit, PLURAL(quota->limit), used, on));
    }
}

/* A quota of a rate needs the counts of its pools; that they are right is proven with the units. */
static void prove_counted(struct terms_proof *proof, const struct usher_quota *quota)
{
    for (uint32_t i = 0; i < proof->loaded->pool_count; i++) {
        const char *pool = proof->loaded->pools[i].name;
        if (is_named(quota->pools, quota->pool_count, pool) && !proof->by_rate[i])
            differ(proof,
                   usher_arena_format(&proof->arena,
                                      "quota \"%s\" is of a rate, but the units of \"%s\" are "
                                      "not counted by rate",
                                      quota->quota, pool));
    }
}

static void prove_quotas(struct terms_proof *proof)
{
    for (uint32_t i = 0; i < proof->terms.quota_count; i++) {
        const struct usher_quota *quota = &proof->terms.quotas[i];
        prove_names(proof, quota->pools, quota->pool_count);
        if (quota->rate)
            prove_counted(proof, quota);
        else
            note_quota(proof, quota);
    }
}

/* ---- limits ---- */

/*
 * What one customer has: a stretch of the tallies. They may be read a little later than the rest,
 * and know pools that it does not.
 */
struct customer {
    const struct load_tally *tallies;
    uint32_t count;
};

static int64_t units_of(const struct terms_proof *proof, const struct customer *customer,
                        const struct usher_limit_group *group)
{
    int64_t units = 0;
    for (uint32_t i = 0; i < customer->count; i++) {
        const struct load_tally *tally = &customer->tallies[i];
        bool known = tally->pool < proof->loaded->pool_count;
        if (known && (!group || is_named(group->pools, group->pool_count,
                                         proof->loaded->pools[tally->pool].name)))
            units += tally->units;
    }
    return units;
}

static int64_t holds_of(const struct customer *customer)
{
    int64_t holds = 0;
    for (uint32_t i = 0; i < customer->count; i++) {
        const struct load_tally *tally = &customer->tallies[i];
        holds += tally->held && (i == 0 || tally[-1].booking != tally->booking);
    }
    return holds;
}

static void note_above(struct terms_proof *proof, const char *what, int64_t has, int64_t limit)
{
    if (has > limit) {
        note(proof, usher_arena_format(&proof->arena,
                                       "a customer has %" PRId64 " %s, the limit is %" PRId64, has,
                                       what, limit));
    }
}

static void note_customer(struct terms_proof *proof, const struct customer *customer)
{
    const struct usher_limits *limits = proof->terms.limits;
    if (limits->units_per_customer > 0)
        note_above(proof, "units", units_of(proof, customer, NULL), limits->units_per_customer);
    if (limits->holds_per_customer > 0)
        note_above(proof, "holds", holds_of(customer), limits->holds_per_customer);
    for (uint32_t i = 0; i < limits->group_count; i++) {
        note_above(proof, "units of a group", units_of(proof, customer, &limits->groups[i]),
                   limits->groups[i].limit);
    }
}

static void prove_limits(struct terms_proof *proof, const struct load_tally *tallies,
                         uint32_t count)
{
    const struct usher_limits *limits = proof->terms.limits;
    for (uint32_t i = 0; limits && i < limits->group_count; i++)
        prove_names(proof, limits->groups[i].pools, limits->groups[i].pool_count);
    for (uint32_t at = 0; limits && at < count;) {
        struct customer customer = {.tallies = &tallies[at]};
        while (at < count && strcmp(tallies[at].customer, customer.tallies->customer) == 0) {
            customer.count++;
            at++;
        }
        note_customer(proof, &customer);
    }
}

/* ---- both ---- */

static bool read_terms(struct terms_proof *proof)
{
    const char *json = proof->loaded->row.terms;
    struct usher_error err;
    return !json ||
           stored_terms_decode(json, strlen(json), &proof->arena, &proof->terms, &err) == USHER_OK;
}

/* Which pools count. */
static bool read_uses(struct terms_proof *proof)
{
    const struct loaded_resource *loaded = proof->loaded;
    const struct stored_use *uses = NULL;
    const char *json = loaded->row.by_rate;
    uint32_t count = 0;
    struct usher_error err;
    proof->by_rate = usher_arena_alloc(&proof->arena, loaded->pool_count * sizeof *proof->by_rate);
    if (json &&
        stored_uses_decode(json, strlen(json), &proof->arena, &uses, &count, &err) != USHER_OK)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        unsigned long pool = strtoul(uses[i].pool, NULL, 10);
        if (pool < loaded->pool_count)
            proof->by_rate[pool] = true;
    }
    return true;
}

static void count_used(struct terms_proof *proof)
{
    const struct loaded_resource *loaded = proof->loaded;
    proof->used = usher_arena_alloc(&proof->arena, loaded->pool_count * sizeof *proof->used);
    for (uint32_t i = 0; i < loaded->pool_count; i++)
        proof->used[i] = loaded->pools[i].taken.held + loaded->pools[i].taken.sold;
    for (uint32_t i = 0; i < loaded->unit_count; i++)
        if (loaded->units[i].pool < loaded->pool_count && loaded->units[i].state != BOOKING_BLOCKED)
            proof->used[loaded->units[i].pool]++;
}

bool reconcile_limits_customers(const struct loaded_resource *loaded)
{
    struct terms_proof proof = {.loaded = loaded};
    bool read = read_terms(&proof);
    bool limited = read && terms_limit_customers(proof.terms.limits);
    usher_arena_deinit(&proof.arena);
    return limited;
}

uint64_t reconcile_terms(const struct loaded_resource *loaded, const struct load_tally *tallies,
                         uint32_t tally_count, const struct reconcile_report *report)
{
    struct terms_proof proof = {.loaded = loaded, .report = report};
    if (!read_uses(&proof))
        differ(&proof, "its units at each rate cannot be read");
    if (read_terms(&proof)) {
        count_used(&proof);
        prove_quotas(&proof);
        prove_limits(&proof, tallies, tally_count);
    } else {
        differ(&proof, "its terms cannot be read");
    }
    usher_arena_deinit(&proof.arena);
    return proof.differences;
}
