/*
 * The floor: a bare pump that moves records of the same size through the same broker and the same
 * database as usher: consume, one pipelined transaction of the same rows a batch, idempotent
 * produce. It decodes nothing and decides nothing: what usher takes longer is usher's own.
 *
 * usage: floor BROKERS POSTGRES PREFIX seats|quantity     (until it is interrupted)
 */
#include <assert.h>
#include <libpq-fe.h>
#include <librdkafka/rdkafka.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "usher/memory.h"

enum {
    BATCH_MAX = 1000,
    ID_MAX = 64,
    UNITS = 2,
    UUID_OID = 2950,
    INT8_OID = 20,
    INT4_OID = 23,
    TEXT_OID = 25,
};

/*
 * What stands where usher's answer and its stored body would, and a booking's lines: as long as
 * those of a hold of two, of chosen seats or of a section by capacity.
 */
#define ANSWER(units)                                                                             \
    "\",\"op\":\"hold\",\"resource\":\"show:floor-2026-12-24\",\"client\":\"bench\",\"outcome\":" \
    "\"held\",\"customer\":\"customer-000001\",\"booking\":\"bench-0000000001\",\"units\":[{"     \
    "\"item\":0,\"section\":\"stalls\"," units ",\"price\":4500}],\"total\":9000,"                \
    "\"currency\":\"GBP\",\"expires_at\":\"2026-12-01T09:15:00.004Z\",\"decided_at\":"            \
    "\"2026-12-01T09:00:00.004Z\",\"rev\":1000000,\"free\":199998,\"seq\":1000000,\"epoch\":1,"   \
    "\"source\":{\"partition\":0,\"offset\":1000000}}"

struct way {
    const char *name, *answer, *lines;
    size_t body_size; /* of the answer, without what is the same for all */
    bool counted;     /* one row of counters a batch, no row for each unit */
};

static const struct way ways[] = {
    {"seats", ANSWER("\"seats\":[\"B-5\",\"B-6\"]"), "[[0,0,4500,[100000,100001]]]", 270, false},
    {"quantity", ANSWER("\"quantity\":2"), "[[0,0,4500,2]]", 260, true},
};

static volatile sig_atomic_t stopping;

static void stop(int signal_number)
{
    (void)signal_number;
    stopping = 1;
}

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "floor: could not %s: %s\n", what, why);
    exit(69);
}

/* ---- Kafka ---- */

static rd_kafka_t *open_kafka(rd_kafka_type_t type, const char *brokers,
                              const char *const properties[][2], size_t count)
{
    char text[512];
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    rd_kafka_conf_set(conf, "bootstrap.servers", brokers, text, sizeof text);
    rd_kafka_conf_set(conf, "log_level", "3", text, sizeof text);
    for (size_t i = 0; i < count; i++)
        if (rd_kafka_conf_set(conf, properties[i][0], properties[i][1], text, sizeof text) !=
            RD_KAFKA_CONF_OK)
            fail("configure Kafka", text);
    rd_kafka_t *kafka = rd_kafka_new(type, conf, text, sizeof text);
    if (!kafka)
        fail("open Kafka", text);
    return kafka;
}

static rd_kafka_queue_t *consume(const char *brokers, const char *topic)
{
    static const char *const properties[][2] = {
        {"group.id", "floor"},        {"enable.auto.commit", "false"},
        {"fetch.wait.max.ms", "100"}, {"socket.nagle.disable", "true"},
        {"check.crcs", "true"},       {"queued.max.messages.kbytes", "8192"},
    };
    rd_kafka_t *kafka =
        open_kafka(RD_KAFKA_CONSUMER, brokers, properties, sizeof properties / sizeof *properties);
    rd_kafka_poll_set_consumer(kafka);
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(1);
    rd_kafka_topic_partition_list_add(list, topic, 0)->offset = RD_KAFKA_OFFSET_BEGINNING;
    rd_kafka_assign(kafka, list);
    rd_kafka_topic_partition_list_destroy(list);
    return rd_kafka_queue_get_consumer(kafka);
}

static rd_kafka_t *produce(const char *brokers)
{
    static const char *const properties[][2] = {
        {"enable.idempotence", "true"},
        {"enable.gapless.guarantee", "true"},
        {"linger.ms", "0"},
        {"queue.buffering.max.messages", "1000000"},
    };
    return open_kafka(RD_KAFKA_PRODUCER, brokers, properties,
                      sizeof properties / sizeof *properties);
}

/* ---- PostgreSQL: arrays in binary form ---- */

struct column {
    struct usher_buffer bytes;
    int32_t count;
};

static void put4(struct usher_buffer *out, uint32_t value)
{
    uint32_t big = __builtin_bswap32(value);
    usher_buffer_append(out, &big, sizeof big);
}

static void column_begin(struct column *column, uint32_t oid)
{
    column->bytes.size = 0;
    column->count = 0;
    put4(&column->bytes, 1);
    put4(&column->bytes, 0);
    put4(&column->bytes, oid);
    put4(&column->bytes, 0);
    put4(&column->bytes, 1);
}

static void column_add(struct column *column, const void *value, size_t size)
{
    put4(&column->bytes, (uint32_t)size);
    usher_buffer_append(&column->bytes, value, size);
    column->count++;
}

static void column_add8(struct column *column, int64_t value)
{
    uint64_t big = __builtin_bswap64((uint64_t)value);
    column_add(column, &big, sizeof big);
}

static void column_add4(struct column *column, int32_t value)
{
    uint32_t big = __builtin_bswap32((uint32_t)value);
    column_add(column, &big, sizeof big);
}

static void column_end(struct column *column)
{
    uint32_t count = __builtin_bswap32((uint32_t)column->count);
    memcpy(column->bytes.at + 12, &count, sizeof count);
}

struct batch_columns {
    struct column seq, id_hash, id, body, booking, line;
    struct column unit, unit_booking; /* of seats */
    struct column pool, was, held;    /* by quantity */
};

static const struct {
    const char *name, *sql;
} statements[] = {
    {"advance", "update floor.state set next_offset = next_offset + cardinality($1::bigint[]),"
                " next_seq = next_seq + cardinality($1::bigint[]) where partition = 0"},
    {"booking", "insert into floor.booking select no, 1, now() + interval '15 minutes', id, line"
                " from unnest($1::bigint[], $2::text[], $3::text[]) as b (no, id, line)"},
    {"allocation", "insert into floor.allocation select 1, booking, unit"
                   " from unnest($1::bigint[], $2::integer[]) as a (booking, unit)"},
    {"move", "with moved as (update floor.pool as p set held = m.held, sold = 0, blocked = 0"
             " from unnest($1::bigint[], $2::integer[], $3::integer[]) as m (no, was, held)"
             " cross join lateral (select ctid as place from floor.pool"
             " where no = m.no and held = m.was and sold = 0 and blocked = 0 offset 0) as o"
             " where p.ctid = o.place returning 1)"
             " select floor.expect('pools moved', count(*), cardinality($1)) from moved"},
    {"decision", "insert into floor.decision select seq, 1, now(), 0, hash, id, body"
                 " from unnest($1::bigint[], $2::uuid[], $3::text[], $4::text[])"
                 " as d (seq, hash, id, body)"},
};

static void send_statement(PGconn *conn, const char *name, int count,
                           const struct column *columns[])
{
    const char *values[4];
    int sizes[4];
    static const int binary[4] = {1, 1, 1, 1};
    for (int i = 0; i < count; i++) {
        values[i] = columns[i]->bytes.at;
        sizes[i] = (int)columns[i]->bytes.size;
    }
    if (!PQsendQueryPrepared(conn, name, count, values, sizes, binary, 1))
        fail("send", PQerrorMessage(conn));
}

static void commit(PGconn *conn, const struct batch_columns *c, bool counted)
{
    send_statement(conn, "advance", 1, (const struct column *[]){&c->seq});
    send_statement(conn, "booking", 3, (const struct column *[]){&c->booking, &c->id, &c->line});
    if (counted)
        send_statement(conn, "move", 3, (const struct column *[]){&c->pool, &c->was, &c->held});
    else
        send_statement(conn, "allocation", 2,
                       (const struct column *[]){&c->unit_booking, &c->unit});
    send_statement(conn, "decision", 4,
                   (const struct column *[]){&c->seq, &c->id_hash, &c->id, &c->body});
    if (!PQpipelineSync(conn))
        fail("commit", PQerrorMessage(conn));
    for (;;) {
        PGresult *result = PQgetResult(conn);
        ExecStatusType status = PQresultStatus(result);
        if (result && status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK &&
            status != PGRES_PIPELINE_SYNC)
            fail("commit", PQresultErrorMessage(result));
        PQclear(result);
        if (status == PGRES_PIPELINE_SYNC)
            return;
    }
}

static PGconn *open_postgres(const char *uri)
{
    PGconn *conn = PQconnectdb(uri);
    if (PQstatus(conn) != CONNECTION_OK)
        fail("connect", PQerrorMessage(conn));
    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++)
        PQclear(PQprepare(conn, statements[i].name, statements[i].sql, 0, NULL));
    if (!PQenterPipelineMode(conn))
        fail("enter pipeline mode", PQerrorMessage(conn));
    return conn;
}

/* ---- the pump ---- */

/* The first bytes of a request are {"request_id":"…": its answer begins with the same. */
static size_t head_size(const rd_kafka_message_t *message)
{
    enum {
        BEFORE_ID = sizeof "{\"request_id\":\"" - 1
    };
    const char *value = message->payload;
    const char *end =
        message->len > BEFORE_ID ? memchr(value + BEFORE_ID, '"', message->len - BEFORE_ID) : NULL;
    if (!end || end - value > BEFORE_ID + ID_MAX)
        fail("pump", "a record is no request of the bench");
    return (size_t)(end - value);
}

static void add_units(struct batch_columns *c, int64_t seq)
{
    for (int32_t unit = 0; unit < UNITS; unit++) {
        column_add4(&c->unit, (int32_t)seq * UNITS + unit);
        column_add8(&c->unit_booking, seq);
    }
}

/* The counter, from where all records before have left it. */
static void add_move(struct batch_columns *c, int64_t seq, size_t count)
{
    int64_t before = seq - 1;
    column_add8(&c->pool, 1);
    column_add4(&c->was, (int32_t)before * UNITS);
    column_add4(&c->held, (int32_t)(before + (int64_t)count) * UNITS);
}

static void add_record(struct batch_columns *c, const struct way *way,
                       const rd_kafka_message_t *message, int64_t seq)
{
    /* Spread like a hash: the index of request ids is hit at random. */
    uint64_t hash[2] = {(uint64_t)seq * 0x9E3779B97F4A7C15u, (uint64_t)seq};
    column_add8(&c->seq, seq);
    column_add(&c->id_hash, hash, sizeof hash);
    column_add(&c->id, message->payload, head_size(message));
    column_add(&c->body, way->answer, way->body_size);
    column_add8(&c->booking, seq);
    column_add(&c->line, way->lines, strlen(way->lines));
    if (!way->counted)
        add_units(c, seq);
}

static void fill(struct batch_columns *c, const struct way *way, rd_kafka_message_t **messages,
                 size_t count, int64_t seq)
{
    struct column *all[] = {&c->seq,  &c->id_hash,      &c->id,   &c->body, &c->booking, &c->line,
                            &c->unit, &c->unit_booking, &c->pool, &c->was,  &c->held};
    static const uint32_t oids[] = {INT8_OID, UUID_OID, TEXT_OID, TEXT_OID, INT8_OID, TEXT_OID,
                                    INT4_OID, INT8_OID, INT8_OID, INT4_OID, INT4_OID};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        column_begin(all[i], oids[i]);
    for (size_t i = 0; i < count; i++)
        add_record(c, way, messages[i], seq + (int64_t)i);
    if (way->counted)
        add_move(c, seq, count);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        column_end(all[i]);
}

static void answer(rd_kafka_t *producer, const char *topic, const struct way *way,
                   const rd_kafka_message_t *message)
{
    char value[ID_MAX + 512];
    size_t head = head_size(message);
    size_t size = strlen(way->answer);
    assert(head + size <= sizeof value);
    memcpy(value, message->payload, head);
    memcpy(value + head, way->answer, size);
    rd_kafka_vu_t parts[] = {
        {.vtype = RD_KAFKA_VTYPE_TOPIC, .u.cstr = topic},
        {.vtype = RD_KAFKA_VTYPE_PARTITION, .u.i32 = 0},
        {.vtype = RD_KAFKA_VTYPE_MSGFLAGS, .u.i = RD_KAFKA_MSG_F_COPY},
        {.vtype = RD_KAFKA_VTYPE_KEY, .u.mem = {message->key, message->key_len}},
        {.vtype = RD_KAFKA_VTYPE_VALUE, .u.mem = {value, head + size}},
    };
    rd_kafka_error_t *error = rd_kafka_produceva(producer, parts, sizeof parts / sizeof *parts);
    if (error)
        fail("produce", rd_kafka_error_string(error));
}

/* Waits for the first record, then takes what is there. */
static size_t take(rd_kafka_queue_t *queue, rd_kafka_message_t **messages)
{
    ssize_t first = rd_kafka_consume_batch_queue(queue, 100, messages, 1);
    if (first <= 0)
        return 0;
    ssize_t more = rd_kafka_consume_batch_queue(queue, 0, messages + 1, BATCH_MAX - 1);
    size_t count = 1 + (more > 0 ? (size_t)more : 0);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (messages[i]->err)
            rd_kafka_message_destroy(messages[i]);
        else
            messages[kept++] = messages[i];
    return kept;
}

static const struct way *find_way(const char *name)
{
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (strcmp(ways[i].name, name) == 0)
            return &ways[i];
    return NULL;
}

int main(int argc, char **argv)
{
    const struct way *way = argc == 5 ? find_way(argv[4]) : NULL;
    if (!way) {
        fprintf(stderr, "usage: floor BROKERS POSTGRES PREFIX seats|quantity\n");
        return 64;
    }
    char requests[128];
    char results[128];
    snprintf(requests, sizeof requests, "%s.requests.v1", argv[3]);
    snprintf(results, sizeof results, "%s.results.v1", argv[3]);
    signal(SIGTERM, stop);
    signal(SIGINT, stop);

    rd_kafka_message_t *messages[BATCH_MAX];
    struct batch_columns columns = {0};
    rd_kafka_queue_t *queue = consume(argv[1], requests);
    rd_kafka_t *producer = produce(argv[1]);
    PGconn *conn = open_postgres(argv[2]);
    int64_t seq = 1;
    int64_t batches = 0;
    while (!stopping) {
        size_t count = take(queue, messages);
        if (count == 0)
            continue;
        fill(&columns, way, messages, count, seq);
        commit(conn, &columns, way->counted);
        for (size_t i = 0; i < count; i++) {
            answer(producer, results, way, messages[i]);
            rd_kafka_message_destroy(messages[i]);
        }
        rd_kafka_poll(producer, 0);
        seq += (int64_t)count;
        batches++;
    }
    rd_kafka_flush(producer, 5000);
    printf("records=%lld batches=%lld\n", (long long)seq - 1, (long long)batches);
    return 0;
}
