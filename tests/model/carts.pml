/*
 * A cart of two lines in two resources, each with a partition of its own, sold by a seller that may be killed at any
 * moment, and then by its successor, which settles it. Time is in ticks; the hold of each line ends at a tick of its
 * own. No two clocks of the brokers and PostgreSQL differ by more than MARGIN.
 *
 * Claims: at rest the cart is sold in both resources or in none, and nothing is held any more; what the successor is
 * told stays true.
 *
 * Mutants: TIME_FIRST: the time is looked at before the transaction begins. NO_TRANSACTION: each confirm is a record of
 * its own. JUDGED_BY_DECISION: a confirm is in time by when it is decided. NO_MARGIN: no time is left for clocks that
 * differ. NO_EPOCH: the successor does not end the transaction of the one before. UNCOMMITTED: workers read records of
 * open transactions. CLOCK_ONLY: holds end by the clock though the log is not read to its end.
 */
#define MARGIN 1
#define ENDS(r) (1 + (r)) /* expires_at of the hold of line r */
#define LAST 3            /* ticks that pass */

mtype = { HELD, SOLD, GONE, MIXED, UNKNOWN };
mtype = { OPEN, COMMITS, ABORTS, NONE };
mtype = { CONFIRM, RELEASE, OTHER };

byte now;   /* of PostgreSQL */
bool ahead; /* the clocks of some brokers are ahead of it; else they are behind it */
mtype booking[2] = HELD;

/* Kafka: the request log of each partition: what was appended and not yet decided, with the time of its append. A
 * confirm cannot be read before its transaction has ended, nor can what is behind it. */
chan log[2] = [3] of { mtype, byte };
byte records[2]; /* of the transaction, in the log and not yet decided */
bool marked[2];  /* the end of the transaction was written to the partition */
mtype transaction = NONE; /* as the coordinator has it */
byte epoch = 1;           /* of the transactional id */
bool appended[2];         /* the confirm of each line, and when */
byte appended_at[2];
bool other[2];            /* somebody else has sent a request */

bool seller_done;
mtype told = UNKNOWN;

#if defined(NO_TRANSACTION) || defined(UNCOMMITTED)
#define READABLE(r) true
#define GIVEN_OUT true
#else
#define READABLE(r) (records[r] == 0 || marked[r])
#define GIVEN_OUT (transaction == COMMITS) /* records of an aborted transaction are not */
#endif
#ifdef CLOCK_ONLY
#define READ_TO_END(r) true
#else
#define READ_TO_END(r) (len(log[r]) == 0)
#endif

/* The time of an append: by a leader whose clock is as PostgreSQL's, or by one whose clock is not. */
inline stamp(at) {
    if
    :: at = now
    :: ahead -> at = now + MARGIN
    :: !ahead && now >= MARGIN -> at = now - MARGIN
    fi
}

active proctype clock() {
    do
    :: now < LAST -> now++
    od
}

/* Others' requests: each moves the time of the log on. */
active proctype others() {
    byte at;
    do
    :: atomic { !other[0] && nfull(log[0]) -> other[0] = true; stamp(at); log[0]!OTHER, at; at = 0 }
    :: atomic { !other[1] && nfull(log[1]) -> other[1] = true; stamp(at); log[1]!OTHER, at; at = 0 }
    od
}

/* The transaction coordinator: the end is written to one partition after the other; it times out; it ends what an
 * earlier epoch left open. */
active proctype coordinator() {
    do
    :: atomic { (transaction == COMMITS || transaction == ABORTS) && !marked[0] -> marked[0] = true }
    :: atomic { (transaction == COMMITS || transaction == ABORTS) && !marked[1] -> marked[1] = true }
    :: atomic { transaction == OPEN -> transaction = ABORTS } /* transaction.timeout.ms */
    od
}

/* The worker of each partition: partition/fill.c: decide_record, fill_idle; rules/confirm.c. */
proctype worker(byte r) {
    mtype what;
    byte at;
    do
    :: atomic { nempty(log[r]) && READABLE(r) ->
        log[r]?what, at;
        if
        :: what == CONFIRM ->
            records[r]--;
            what = (GIVEN_OUT -> CONFIRM : 0)
        :: else
        fi;
        if /* expire: holds that end by the time of the record */
        :: what != 0 && booking[r] == HELD && at > ENDS(r) -> booking[r] = GONE
        :: else
        fi;
#ifdef JUDGED_BY_DECISION
        if
        :: what == CONFIRM && booking[r] == HELD && now > ENDS(r) -> booking[r] = GONE
        :: else
        fi;
#endif
        if
        :: what == CONFIRM && booking[r] == HELD -> booking[r] = SOLD
        :: what == CONFIRM && booking[r] == GONE -> /* late: sold if nobody has taken the units since */
            if
            :: booking[r] = SOLD
            :: skip
            fi
        :: what == RELEASE && booking[r] == HELD -> booking[r] = GONE
        :: else
        fi;
        what = 0;
        at = 0
    }
    :: atomic { /* fill_idle: by the clock, once the log is read to its end */
        booking[r] == HELD && now > ENDS(r) && READ_TO_END(r) -> booking[r] = GONE
    }
    od
}

inline append_confirm(r) {
    stamp(appended_at[r]);
    log[r]!CONFIRM, appended_at[r];
    records[r]++;
    appended[r] = true
}

/* cart_transaction.c: cart_in_time. */
#ifdef NO_MARGIN
#define IN_TIME(t, r) ((t) <= ENDS(r))
#else
#define IN_TIME(t, r) ((t) + MARGIN <= ENDS(r))
#endif

/* seller.c: sell_batch; cart_transaction.c: try_transaction. It is killed wherever it does not go on. */
active proctype seller() {
    bool commit;
#ifdef TIME_FIRST
    atomic { commit = IN_TIME(now, 0) && IN_TIME(now, 1) };
#endif
    do
    :: atomic { epoch == 1 && transaction == NONE -> transaction = OPEN; break }
    :: goto killed
    od;
    do
    :: atomic { !appended[0] && epoch == 1 && transaction == OPEN && nfull(log[0]) -> append_confirm(0) }
    :: atomic { !appended[1] && epoch == 1 && transaction == OPEN && nfull(log[1]) -> append_confirm(1) }
    :: appended[0] && appended[1] -> break
    :: goto killed
    od;
#ifndef TIME_FIRST
    commit = IN_TIME(appended_at[0], 0) && IN_TIME(appended_at[1], 1);
#endif
    if
    :: atomic { epoch == 1 && transaction == OPEN -> transaction = (commit -> COMMITS : ABORTS) }
    :: goto killed /* or fenced, or it has timed out */
    fi;
killed:
    seller_done = true
}

/* The state of a line as the answer to a release says it. */
#define TELLS(r) (booking[r] == SOLD -> SOLD : GONE)

/* seller.c: settle: a new epoch, by which the coordinator ends what is open; then each line is released. The
 * predecessor may still be at work. */
active proctype successor() {
#ifndef NO_EPOCH
    atomic {
        epoch = 2;
        transaction = (transaction == OPEN -> ABORTS : transaction)
    };
    (transaction == NONE || (marked[0] && marked[1]));
#endif
    atomic { nfull(log[0]) -> log[0]!RELEASE, now };
    atomic { nfull(log[1]) -> log[1]!RELEASE, now };
    atomic {
        empty(log[0]) && empty(log[1]) -> /* answered */
        told = (TELLS(0) == TELLS(1) -> TELLS(0) : MIXED)
    }
}

init {
    atomic {
        if
        :: ahead = true
        :: skip
        fi;
        run worker(0);
        run worker(1)
    }
    timeout ->
        assert(booking[0] != HELD && booking[1] != HELD);
        assert(booking[0] == booking[1]);
        assert(told == booking[0])
}
