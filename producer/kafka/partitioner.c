/*
 * Maps keys to partitions. The hash is librdkafka's own, so that publishers in any language with
 * murmur2 and the worker agree; needs no connection.
 */
#include "usher/message.h"

#include <assert.h>
#include <librdkafka/rdkafka.h>

int32_t usher_partition_of(const void *key, size_t key_size, int32_t partition_count)
{
    assert(partition_count > 0);
    return rd_kafka_msg_partitioner_murmur2(NULL, key, key_size, partition_count, NULL, NULL);
}
