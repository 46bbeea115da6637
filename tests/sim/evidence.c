/* Records as Kafka has them, decisions as PostgreSQL has them. Ids need no escapes in JSON. */
#include "evidence.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

#include "kafka.h"
#include "postgres.h"

static void write_bytes(FILE *to, const char *name, const void *bytes, size_t size)
{
    (void)fprintf(to, ",\"%s\":\"", name);
    for (size_t i = 0; i < size; i++)
        (void)fprintf(to, "%02x", ((const unsigned char *)bytes)[i]);
    (void)fprintf(to, "\"");
}

static void write_text(FILE *to, const char *name, const char *text)
{
    if (text)
        (void)fprintf(to, ",\"%s\":\"%s\"", name, text);
}

static void write_record(FILE *to, int32_t partition, int64_t offset)
{
    const struct kafka_record *record = &kafka.requests[partition].records[offset];
    if (record->kind != KAFKA_RECORD)
        return;
    (void)fprintf(to, "{\"partition\":%" PRId32 ",\"record\":%" PRId64 ",\"time\":%" PRId64,
                  partition, offset, record->appended_ms);
    write_bytes(to, "key", record->key, record->key_size);
    write_bytes(to, "value", record->value, record->value_size);
    (void)fprintf(to, "}\n");
}

static void write_bookings(FILE *to, const struct decision_row *row)
{
    bool is_one = !row->booking_nos && row->booking_no != 0;
    const int64_t *nos = is_one ? &row->booking_no : row->booking_nos;
    uint32_t count = is_one ? 1 : row->booking_no_count;
    (void)fprintf(to, ",\"bookings\":[");
    for (uint32_t i = 0; i < count; i++)
        (void)fprintf(to, "%s%" PRId64, i > 0 ? "," : "", nos[i] & ((INT64_C(1) << 48) - 1));
    (void)fprintf(to, "]");
}

static void write_decision(FILE *to, int32_t partition, const struct decision_row *row)
{
    (void)fprintf(to,
                  "{\"partition\":%" PRId32 ",\"seq\":%" PRId64 ",\"epoch\":%" PRId32
                  ",\"now\":%" PRId64 ",\"first\":%s,\"replayed\":%s",
                  partition, row->seq, row->epoch, row->decided_ms, row->first ? "true" : "false",
                  row->replayed ? "true" : "false");
    if (row->source_offset != OFFSET_NONE)
        (void)fprintf(to, ",\"offset\":%" PRId64, row->source_offset);
    write_bytes(to, "key", row->key, row->key_size);
    write_text(to, "request_id", row->request_id);
    write_text(to, "op", usher_op_name(row->op));
    write_text(to, "resource", row->resource);
    write_text(to, "client", row->client);
    write_text(to, "outcome", usher_outcome_name(row->outcome));
    write_text(to, "reason", usher_reason_name(row->reason));
    write_bookings(to, row);
    (void)fprintf(to, ",\"body\":{%.*s}}\n", (int)row->body_size, row->body);
}

void evidence_write(const char *path)
{
    FILE *to = fopen(path, "w");
    assert(to);
    (void)fprintf(to, "{\"partitions\":%" PRId32 "}\n", kafka.partition_count);
    for (int32_t i = 0; i < kafka.partition_count; i++) {
        for (int64_t offset = 0; offset < kafka.requests[i].end; offset++)
            write_record(to, i, offset);
        const struct fake_database *tables = &postgres.partitions[i].tables;
        for (uint32_t j = 0; j < tables->decision_count; j++)
            write_decision(to, i, &tables->decisions[j]);
    }
    int failed = fclose(to);
    assert(failed == 0);
}
