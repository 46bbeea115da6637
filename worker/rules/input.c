/*
 * Decodes records and checks their keys. PURE.
 */
#include "worker/rules/input.h"

#include <assert.h>
#include <string.h>

#include "producer/codec/stored.h"

enum {
    LOG_AHEAD_MAX_MS = 60000 /* so far a broker's clock may be ahead of the batch's `now` */
};

int64_t input_log_ms(const struct log_record *record, const struct batch *batch)
{
    int64_t latest_ms = batch->now_ms + LOG_AHEAD_MAX_MS;
    return record->appended_ms < latest_ms ? record->appended_ms : latest_ms;
}

int64_t input_at_ms(const struct log_record *record, const struct batch *batch)
{
    int64_t log_ms = input_log_ms(record, batch);
    return log_ms > 0 ? log_ms : batch->now_ms;
}

static void set_invalid(struct input *input, enum usher_reason reason, const char *detail)
{
    assert(reason != USHER_REASON_NONE && detail);
    input->invalid = reason;
    input->detail = detail;
}

static bool key_is_resource(const struct log_record *record, const char *resource)
{
    return record->key && record->key_size == strlen(resource) &&
           memcmp(record->key, resource, record->key_size) == 0;
}

static void check_key(struct input *input, const struct rules *rules, struct usher_arena *arena)
{
    assert(input->request.resource);
    const struct log_record *record = input->record;
    if (!record->key || record->key_size == 0) {
        set_invalid(input, USHER_MALFORMED, "the record has no key");
        return;
    }
    if (!key_is_resource(record, input->request.resource)) {
        set_invalid(input, USHER_MALFORMED, "the record's key is not its resource");
        return;
    }
    int32_t partition = usher_partition_of(record->key, record->key_size, rules->partition_count);
    if (partition != rules->partition) {
        set_invalid(input, USHER_WRONG_PARTITION,
                    usher_arena_format(arena,
                                       "key \"%s\" belongs to partition %d of %d, not %d: publish "
                                       "with partitioner murmur2_random",
                                       input->request.resource, partition, rules->partition_count,
                                       rules->partition));
    }
}

void input_decode(struct input *input, const struct log_record *record, const struct rules *rules,
                  struct usher_arena *arena)
{
    *input = (struct input){.record = record};
    struct usher_error err = {0};
    if (record->unreadable) {
        set_invalid(input, USHER_MALFORMED, "the record's batch cannot be unpacked");
        return;
    }
    if (!record->value) {
        set_invalid(input, USHER_MALFORMED, "the record has no value");
        return;
    }
    if (usher_request_decode(record->value, record->value_size, arena, &input->request, &err) !=
        USHER_OK) {
        set_invalid(input, USHER_MALFORMED, usher_arena_text(arena, err.text, strlen(err.text)));
        return;
    }
    request_id_hash(input->request.request_id, input->id_hash);
    request_content_hash(&input->request, input->content_hash);
    check_key(input, rules, arena);
}

void input_dead_letter(struct input *input)
{
    assert(input->record);
    set_invalid(input, USHER_INTERNAL, "the decision could not be committed; see the dead letter");
}
