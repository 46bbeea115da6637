/*
 * The state that the two threads of the load generator share. One sends on time, the other reads
 * answers, and sends what follows them; the time of each request is found by its number, which is
 * part of its id: no table, no parsing.
 */
#ifndef USHER_PRODUCER_PROGRAM_LOAD_STATE_H
#define USHER_PRODUCER_PROGRAM_LOAD_STATE_H

#include <stdatomic.h>

#include "producer/client/reader.h"
#include "producer/client/sender.h"
#include "producer/program/load_requests.h"
#include "producer/program/load_settings.h"

enum {
    LOAD_DRAIN_TIMEOUT_MS = 30000 /* for Kafka to take what was sent */
};

/* A request whose answer came and that something follows. Known to the reading thread alone. */
struct load_follow {
    int64_t begun_ns; /* when the first was scheduled */
    int64_t sent_ns;  /* when its answer came; 0: nothing follows, or that was answered */
};

struct load {
    const struct load_settings *settings;
    struct load_result *result;
    struct sender *sender;
    struct reader *reader;
    struct load_requests requests;
    int64_t start_ns;
    int64_t warmup_end_ns;
    int64_t capacity; /* of sent_ns: more requests are never sent */
    /* By number: scheduled (at full load: sent) at; 0: not, or answered. */
    _Atomic int64_t *sent_ns;
    struct load_follow *follows;    /* by number; NULL: nothing ever follows */
    _Atomic int64_t first_measured; /* number; INT64_MAX during the warm-up of a full load */
    _Atomic int64_t sent;
    _Atomic int64_t finished; /* nothing more will come of them */
    _Atomic int64_t failed;   /* deliveries */
    atomic_bool sending_done, stop;
    enum usher_status send_status; /* of the sending thread, read after its end */
    struct usher_error send_err;
    int64_t last_answer_ns;
};

#endif
