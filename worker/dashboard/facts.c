/* The hash of a resource in Redis, as a struct. */
#include "worker/dashboard/facts.h"

#include <stdlib.h>
#include <string.h>

#include "producer/base/allocate.h"
#include "producer/base/json_member.h"
#include "producer/base/utf8.h"

/* With their greatest sizes, by the contract. */
static const struct {
    const char *name;
    size_t size_max;
} text_fields[FACT_TEXTS] = {
    {"kind", 8},       {"name", 256},   {"venue", 256},   {"currency", 3},   {"timezone", 64},
    {"starts_at", 32}, {"ends_at", 32}, {"opens_at", 32}, {"closes_at", 32}, {"layout", 64},
};

static const char *const number_names[FACT_NUMBERS] = {
    "total",    "free",  "held", "sold",          "blocked",   "waiting",
    "overbook", "epoch", "rev",  "catalogue_rev", "partition", "updated_ms",
};

/* As much of it as is taken. */
static size_t text_size(const struct redis_hash *hash, int text)
{
    size_t size = strlen(redis_hash_get(hash, text_fields[text].name));
    size_t max = text_fields[text].size_max;
    return size < max ? size : max;
}

/* Whether it is one of those that the contract knows; NULL ends them. */
static bool is_among(const char *text, const char *const *known)
{
    while (*known && strcmp(*known, text) != 0)
        known++;
    return *known;
}

bool facts_know_state(const char *state)
{
    static const char *const states[] = {"draft", "open", "closed", NULL};
    return is_among(state, states);
}

void facts_read(struct facts *facts, const struct redis_hash *hash)
{
    size_t size = 0;
    facts_deinit(facts);
    for (int i = 0; i < FACT_TEXTS; i++)
        size += text_size(hash, i) + 1;
    facts->text = memory_alloc(size);
    facts->text_size = size;
    char *at = facts->text;
    for (int i = 0; i < FACT_TEXTS; i++) {
        const char *value = redis_hash_get(hash, text_fields[i].name);
        facts->texts[i] = at;
        at += utf8_copy(at, text_size(hash, i) + 1, value, strlen(value)) + 1;
    }
    static const char *const kinds[] = {"seats", "standing", "rooms", "stock", "mixed", NULL};
    if (!is_among(facts->texts[FACT_KIND], kinds))
        facts->texts[FACT_KIND] = "mixed"; /* it may have anything */
    for (int i = 0; i < FACT_NUMBERS; i++)
        facts->numbers[i] = strtoll(redis_hash_get(hash, number_names[i]), NULL, 10);
    const char *state = redis_hash_get(hash, "state");
    utf8_copy(facts->state, sizeof facts->state, state, strlen(state));
}

void facts_deinit(struct facts *facts)
{
    free(facts->text);
    *facts = (struct facts){0};
}

static void write_name(struct usher_buffer *out, const char *name)
{
    usher_buffer_text(out, ",\"");
    usher_buffer_text(out, name);
    usher_buffer_text(out, "\":");
}

void facts_write(const struct facts *facts, struct usher_buffer *out)
{
    json_text(out, "\"state\":", facts->state);
    for (int i = 0; i < FACT_TEXTS; i++) {
        if (facts->texts[i][0] == '\0')
            continue;
        write_name(out, text_fields[i].name);
        usher_buffer_json_string(out, facts->texts[i]);
    }
    for (int i = 0; i < FACT_NUMBERS; i++) {
        write_name(out, number_names[i]);
        usher_buffer_number(out, facts->numbers[i]);
    }
}

enum change_effect change_effect(const struct change *change, const struct facts *facts)
{
    int64_t epoch = facts->numbers[FACT_EPOCH], rev = facts->numbers[FACT_REV];
    bool lower = change->epoch < epoch || (change->epoch == epoch && change->rev < rev);
    if (change->from != 0 && lower)
        return CHANGE_OLD;
    if (change->reload || change->epoch != epoch || change->from > rev ||
        change->catalogue_rev != facts->numbers[FACT_CATALOGUE_REV])
        return CHANGE_READ_ANEW;
    return CHANGE_APPLIES;
}

void facts_apply(struct facts *facts, const struct change *change, int64_t now_ms)
{
    int64_t *numbers = facts->numbers;
    numbers[FACT_EPOCH] = change->epoch;
    numbers[FACT_REV] = change->rev;
    numbers[FACT_FREE] = change->free;
    numbers[FACT_HELD] = change->held;
    numbers[FACT_SOLD] = change->sold;
    numbers[FACT_BLOCKED] = change->blocked;
    numbers[FACT_WAITING] = change->waiting;
    numbers[FACT_UPDATED_MS] = now_ms; /* messages do not say when they were written */
    memcpy(facts->state, change->state, sizeof facts->state);
}
