/* Answers that wait for the produce request before them: see kafka_burst.h. */
#include "worker/kafka/kafka_burst.h"

#include <stdlib.h>

#include "producer/base/allocate.h"

void kafka_burst_add(struct kafka_burst *burst, const struct kafka_outgoing *out)
{
    if (burst->count == burst->capacity) {
        burst->capacity = burst->capacity == 0 ? 64 : 2 * burst->capacity;
        burst->messages = memory_realloc(burst->messages, burst->capacity, sizeof *burst->messages);
    }
    struct kafka_outgoing *message = &burst->messages[burst->count++];
    *message = *out;
    if (out->key)
        message->key = usher_arena_text(&burst->memory, out->key, out->key_size);
    message->value = usher_arena_text(&burst->memory, out->value, out->value_size);
}

enum usher_status kafka_burst_send(struct kafka_burst *burst, struct kafka_producer *producer,
                                   uint32_t most, uint32_t *sent, struct usher_error *err)
{
    enum usher_status status = USHER_OK;
    for (*sent = 0; *sent < most && burst->first < burst->count && status == USHER_OK; ++*sent) {
        struct kafka_outgoing *message = &burst->messages[burst->first++];
        status = kafka_producer_send(producer, message, err);
        message->headers = NULL; /* taken, also on failure */
    }
    if (status != USHER_OK || burst->first == burst->count)
        kafka_burst_clear(burst);
    return status;
}

void kafka_burst_clear(struct kafka_burst *burst)
{
    for (uint32_t i = 0; i < burst->count; i++)
        if (burst->messages[i].headers)
            rd_kafka_headers_destroy(burst->messages[i].headers);
    burst->first = burst->count = 0;
    usher_arena_reset(&burst->memory);
}

void kafka_burst_deinit(struct kafka_burst *burst)
{
    kafka_burst_clear(burst);
    usher_arena_deinit(&burst->memory);
    free(burst->messages);
    *burst = (struct kafka_burst){0};
}
