/*
 * Who may write a partition, and what a consumer hears of it: two workers that are assigned, killed, cut off and stand
 * still at any moment, a database that goes on with what a lost connection sent it, producers whose answers are lost or
 * arrive after their owner is gone. Each worker has two batches in flight.
 *
 * A decision is known by the life that made it, which is the number of the acquire before it: decided again, a request
 * has another answer. The log of requests has one record, and one hold expires, in any order.
 *
 * Claims: a batch is applied only to the state that it was decided on; each record is decided once and in order; the
 * published position is never ahead of the log; an accept-only-next consumer hears nothing but what is recorded, and at
 * rest all of it, with every record decided.
 *
 * Mutants: NO_EPOCH, NO_SEQ_CHAIN: the guard does not look at it. NO_OFFSET_CHAIN: the offset is not in the record, but
 * is the one of the consumer group. (That the guard compares the offset besides, which goes with the seq, is a check on
 * the program: nothing here fails without it.) SAME_EPOCH: a worker that connects again keeps its epoch. FROM_MAXIMUM:
 * answers are published behind the highest one in the log. PUBLISH_FIRST: before the commit is known.
 */
#define SEQS 2     /* decisions that there are to make */
#define LIVES 6    /* acquires that succeed, at most */
#ifndef FAULTS
#define FAULTS 1   /* beside an assignment to both */
#endif
#define NOBODY 2

/* ---- PostgreSQL: usher.partition_state and usher.decision ---- */
byte db_epoch, db_offset, db_seq = 1, db_published, db_owner = NOBODY;
byte db_decision[SEQS + 2]; /* by seq: the life that made it; 0: none */
bool db_decided, db_expired; /* the record, the hold */

/* A backend for each life: the batches sent to it that it has not come to, and what became of the others. It goes on
 * when its client is gone. */
chan sent[LIVES + 1] = [2] of { byte, byte, byte, byte, byte, bool };
chan result[LIVES + 1] = [2] of { bool };
bool cut[LIVES + 1]; /* its client has closed the connection */
byte epoch_of[LIVES + 1];
byte lives, faults;
bool taken; /* the partition was assigned to one worker while the other one was at work */

/* ---- Kafka: the result log, as its accept-only-next consumer has it ---- */
byte heard_until, highest;
byte heard[SEQS + 2]; /* by seq: the answer of which life */

/* Answers on their way: of each worker those of its producer, and those of the one before, which it has destroyed. */
byte next_out[4], last_out[4];
byte answer[4 * (SEQS + 2)];
bool failed_out[4];
#define ANSWER(producer, seq) answer[(producer) * (SEQS + 2) + (seq)]

/* ---- the workers, as far as each must be seen from outside ---- */
mtype = { AWAY, WORKS };
mtype is[2] = { AWAY, AWAY };
byte epoch[2]; /* p->position.epoch; 0: assigned anew, knows none */
bool at_rest;

#define FAIL faults < FAULTS -> faults++

/* ==== The database ==== */

/* schema/postgres/003_guard.sql: usher.advance, then the rows of the batch, in one transaction. */
inline apply(l) {
    sent[l]?eo, es, no, base, pub, x;
    if
    :: (true
#ifndef NO_EPOCH
        && db_epoch == epoch_of[l]
#endif
#ifndef NO_OFFSET_CHAIN
        && db_offset == eo
#endif
#ifndef NO_SEQ_CHAIN
        && db_seq == es
#endif
        ) ->
        assert(db_decision[es - 1] == base); /* memory was the committed state */
        assert(!x || !db_expired);
        db_expired = db_expired || x;
        assert(x || !db_decided);
        db_decided = db_decided || !x;
        assert(db_decision[es] == 0);
        db_decision[es] = l;
        db_offset = no;
        db_seq = es + 1;
        db_published = (pub > db_published -> pub : db_published);
        assert(db_published <= heard_until);
        ok = true
    :: else -> ok = false /* US001, US002 */
    fi;
    if
    :: !cut[l] -> result[l]!ok
    :: else
    fi;
    eo = 0; es = 0; no = 0; base = 0; pub = 0; x = false; ok = false; l = 0
}

active proctype database() {
    byte l, eo, es, no, base, pub;
    bool x, ok;
end:
    do
    :: d_step { nempty(sent[1]) -> l = 1; apply(l) }
    :: d_step { nempty(sent[2]) -> l = 2; apply(l) }
    :: d_step { nempty(sent[3]) -> l = 3; apply(l) }
    :: d_step { nempty(sent[4]) -> l = 4; apply(l) }
    :: d_step { nempty(sent[5]) -> l = 5; apply(l) }
    :: d_step { nempty(sent[6]) -> l = 6; apply(l) }
    :: atomic { /* a statement that takes too long; the batches behind it are tried all the same */
        FAIL;
        if
        :: nempty(sent[1]) -> l = 1
        :: nempty(sent[2]) -> l = 2
        :: nempty(sent[3]) -> l = 3
        :: nempty(sent[4]) -> l = 4
        fi;
        sent[l]?eo, es, no, base, pub, x;
        if
        :: !cut[l] -> result[l]!false
        :: else
        fi;
        eo = 0; es = 0; no = 0; base = 0; pub = 0; x = false; l = 0
    }
    od
}

/* ==== The result log ==== */

inline append(o) {
    seq = next_out[o];
    highest = (seq > highest -> seq : highest);
    if
    :: seq == heard_until + 1 ->
        heard_until = seq;
        heard[seq] = ANSWER(o, seq);
        assert(db_decision[seq] == 0 || db_decision[seq] == heard[seq])
    :: else
    fi;
    ANSWER(o, seq) = 0;
    next_out[o]++;
    if
    :: o >= 2 && next_out[o] > last_out[o] -> next_out[o] = 1; last_out[o] = 0
    :: else
    fi;
    seq = 0
}

active proctype brokers() {
    byte o, seq;
end:
    do
    :: d_step { next_out[0] <= last_out[0] -> o = 0; append(o); o = 0 }
    :: d_step { next_out[1] <= last_out[1] -> o = 1; append(o); o = 0 }
    :: d_step { next_out[2] <= last_out[2] -> o = 2; append(o); o = 0 }
    :: d_step { next_out[3] <= last_out[3] -> o = 3; append(o); o = 0 }
    :: atomic { /* one is lost; what librdkafka has sent behind it may still be appended */
        FAIL;
        if
        :: next_out[0] <= last_out[0] -> o = 0
        :: next_out[1] <= last_out[1] -> o = 1
        fi;
        ANSWER(o, next_out[o]) = 0;
        next_out[o]++;
        failed_out[o] = true;
        o = 0
    }
    od
}

/* ==== A worker ==== */

/* kafka_outbox.c: close_producers: what is on its way is lost, or arrives at any time from now on. */
inline destroy_producer() {
    if
    :: next_out[w] <= last_out[w] ->
        next_out[2 + w] = next_out[w];
        last_out[2 + w] = last_out[w];
        i = 1;
        do
        :: i <= SEQS -> ANSWER(2 + w, i) = ANSWER(w, i); i++
        :: else -> break
        od
    :: true
    fi;
    i = 1;
    do
    :: i <= SEQS -> ANSWER(w, i) = 0; i++
    :: else -> break
    od;
    i = 0;
    next_out[w] = 1;
    last_out[w] = 0;
    failed_out[w] = false
}

/* kafka_outbox.c: outbox_publish. */
inline publish(decision) {
    if
    :: next_out[w] > last_out[w] -> next_out[w] = handed + 1
    :: else
    fi;
    last_out[w] = handed + 1;
    ANSWER(w, handed + 1) = decision;
    handed++
}

inline drop_connection() {
    cut[life] = true;
    do
    :: nempty(result[life]) -> result[life]?_
    :: empty(result[life]) -> break
    od
}

/* takeover.c: takeover_acquire: the memory is dropped, usher.acquire, the position is read. */
inline take_epoch() {
    do
    :: nempty(flight) -> flight?_, _
    :: empty(flight) -> break
    od;
    drop_connection();
    if
    :: epoch[w] != 0 && epoch[w] != db_epoch && db_owner != w -> next = 0 /* US001: fenced */
    :: else ->
#ifdef SAME_EPOCH
        db_epoch = (epoch[w] != 0 && db_owner == w -> db_epoch : db_epoch + 1);
#else
        db_epoch++;
#endif
        db_owner = w;
        lives++;
        assert(lives <= LIVES);
        life = lives;
        epoch_of[life] = db_epoch;
        epoch[w] = db_epoch;
        assert(!opened || db_seq > handed); /* has_lost_commits */
#ifdef NO_OFFSET_CHAIN
        offset = acknowledged;
#else
        offset = db_offset;
#endif
        seq = db_seq;
        published = (opened && published > db_published -> published : db_published);
        memory = db_decision[db_seq - 1]; /* rows are loaded in this epoch, or the load says FENCED */
        expired = db_expired;
        next = 1
    fi
}

/* takeover.c: verify_results; kafka_reader.c: kafka_scan reads on from the published position like a consumer. That
 * may have been appended by another producer before, so that the scan finds fewer. */
inline scan() {
    destroy_producer();
    if
    :: highest >= seq && db_epoch != epoch[w] -> next = 0 /* confirm_halt: a successor's */
    :: else ->
        assert(highest < seq);
#ifdef FROM_MAXIMUM
        handed = highest;
#else
        handed = published;
        do
        :: handed < heard_until && handed < seq - 1 -> handed++
        :: break
        od;
#endif
        published = handed;
        opened = true
    fi
}

/* commit.c: begin, after fill.c has decided: the record or the hold; `to` is the next
 * offset. */
inline begin_batch(to, expires) {
    sent[life]!offset, seq, to, memory, published, expires;
    flight!seq, to;
    memory = life;
    seq++;
    offset = to;
    expired = expired || expires
#ifdef PUBLISH_FIRST
    ;
    do
    :: handed < seq - 1 -> publish(life)
    :: else -> break
    od
#endif
}

/* commit.c: finish: the answers of the oldest batch in flight, once it is known to be committed. */
inline finish() {
    flight?es, no;
    if
    :: handed < es -> publish(life)
    :: else /* PUBLISH_FIRST */
    fi;
    es = 0; no = 0
}

inline crash() {
    do
    :: nempty(flight) -> flight?_, _
    :: empty(flight) -> break
    od;
    drop_connection();
    destroy_producer();
    epoch[w] = 0; offset = 0; seq = 0; published = 0; handed = 0; memory = 0;
    expired = false; opened = false; life = 0; next = 0
}

#ifdef NO_OFFSET_CHAIN
byte acknowledged; /* kafka_group.c: the offset committed to the consumer group */
#endif

proctype worker(byte w) {
    chan flight = [2] of { byte, byte };
    byte offset, seq, published, handed, memory, life, es, no, i, next;
    bool expired, opened, ok;
away:
    atomic { /* assigned: nobody owns the partition, or the group believes that the other worker is gone */
        if
        :: (is[1 - w] == AWAY && (w == 0 || lives > 0)) || db_owner == w
        :: is[1 - w] == WORKS && db_owner == 1 - w && !taken -> taken = true
        fi;
        is[w] = WORKS
    }
take_over:
    atomic {
        i = epoch[w];
        take_epoch();
        if
        :: next == 0 -> goto leave
        :: next == 1
        :: next == 1 && faults < FAULTS -> /* its answer is lost: a later epoch is our own */
            faults++;
            epoch[w] = i;
            goto take_over
        fi;
        i = 0;
        next = 0
    }
    /* verify */
    atomic {
        if
        :: !opened -> scan()
        :: opened && failed_out[w] -> opened = false; goto take_over
        :: opened && !failed_out[w]
        fi;
        if
        :: !opened -> next = 0; goto leave
        :: opened
        fi
    }
    /* catch up: takeover.c: publish_page */
    atomic {
        do
        :: handed < seq - 1 -> assert(db_decision[handed + 1] != 0); publish(db_decision[handed + 1])
        :: handed >= seq - 1 -> break
        od
    };
    /* active: loop.c: turn */
    do
    :: atomic { nempty(result[life]) -> /* commit_end of the oldest */
        result[life]?ok;
        if
        :: ok -> ok = false; finish()
        :: !ok -> goto take_over /* also after FENCED: acquire tells which it is */
        fi
    }
    :: atomic { offset == 0 && nfull(flight) -> begin_batch(1, false) }
    :: atomic { !expired && nfull(flight) -> begin_batch(offset, true) } /* fill.c: fill_idle */
    :: atomic { /* kafka_outbox.c: outbox_poll */
        !failed_out[w] && next_out[w] == handed + 1 && handed > published -> published = handed
#ifdef NO_OFFSET_CHAIN
        ;
        acknowledged = offset
#endif
    }
    :: atomic { failed_out[w] -> opened = false; goto take_over }
    :: atomic { FAIL; goto take_over } /* the connection broke; what became of the batches is unknown */
    :: atomic { FAIL; goto leave }
    od;
leave:
    atomic {
        crash();
        is[w] = AWAY;
        goto away
    }
}

init {
    atomic {
        byte o;
        for (o : 0 .. 3) { next_out[o] = 1 }
        o = 0;
        run worker(0);
        run worker(1)
    }
    timeout -> /* nothing is left to do */
        assert((is[0] == WORKS && epoch[0] == db_epoch) || (is[1] == WORKS && epoch[1] == db_epoch));
        assert(db_offset == 1 && db_decided && db_expired);
        assert(heard_until == db_seq - 1);
        assert(heard[1] == db_decision[1] && heard[2] == db_decision[2]);
        at_rest = true
}
