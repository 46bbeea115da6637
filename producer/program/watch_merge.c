/* Puts the answers of several partitions into the order of time: see watch_merge.h. */
#include "producer/program/watch_merge.h"

#include <stdlib.h>
#include <string.h>

#include "producer/base/allocate.h"

enum {
    BYTES_MAX = 67108864 /* kept while a partition that cannot be read holds up the others */
};

void watch_merge_init(struct watch_merge *merge, int32_t partitions)
{
    *merge = (struct watch_merge){
        .lanes = memory_calloc((size_t)partitions, sizeof *merge->lanes),
        .lane_count = partitions,
    };
}

void watch_merge_saw(struct watch_merge *merge, int32_t partition, int64_t decided_ms)
{
    merge->lanes[partition].seen_ms = decided_ms;
}

void watch_merge_add(struct watch_merge *merge, const struct usher_reply *reply, int64_t decided_ms)
{
    struct watch_lane *lane = &merge->lanes[reply->partition];
    struct watch_kept *kept = memory_alloc(sizeof *kept + reply->size);
    *kept = (struct watch_kept){.decided_ms = decided_ms,
                                .offset = reply->offset,
                                .partition = reply->partition,
                                .size = reply->size};
    memcpy(kept->data, reply->data, reply->size);
    if (lane->last)
        lane->last->next = kept;
    else
        lane->first = kept;
    lane->last = kept;
    merge->bytes += kept->size;
}

/* The partition whose first answer is the earliest of all; NULL: nothing is kept. */
static struct watch_lane *find_earliest(const struct watch_merge *merge)
{
    struct watch_lane *earliest = NULL;
    for (int32_t i = 0; i < merge->lane_count; i++) {
        struct watch_lane *lane = &merge->lanes[i];
        if (lane->first && (!earliest || lane->first->decided_ms < earliest->first->decided_ms))
            earliest = lane;
    }
    return earliest;
}

/* Whether a partition that nothing is kept of may still have an earlier answer. */
static bool may_be_earlier(const struct watch_merge *merge, const struct usher_watch *watch,
                           int64_t decided_ms)
{
    for (int32_t i = 0; i < merge->lane_count; i++) {
        const struct watch_lane *lane = &merge->lanes[i];
        if (!lane->first && lane->seen_ms < decided_ms && !usher_watch_caught_up_with(watch, i))
            return true;
    }
    return false;
}

struct watch_kept *watch_merge_take(struct watch_merge *merge, const struct usher_watch *watch)
{
    struct watch_lane *lane = find_earliest(merge);
    if (!lane ||
        (merge->bytes <= BYTES_MAX && may_be_earlier(merge, watch, lane->first->decided_ms)))
        return NULL;
    struct watch_kept *kept = lane->first;
    lane->first = kept->next;
    if (!lane->first)
        lane->last = NULL;
    merge->bytes -= kept->size;
    return kept;
}

void watch_merge_deinit(struct watch_merge *merge)
{
    for (int32_t i = 0; i < merge->lane_count; i++) {
        while (merge->lanes[i].first) {
            struct watch_kept *kept = merge->lanes[i].first;
            merge->lanes[i].first = kept->next;
            free(kept);
        }
    }
    free(merge->lanes);
    *merge = (struct watch_merge){0};
}
