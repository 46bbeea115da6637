/*
 * Redis's position: a partition of two resources, two workers one after the other, a Redis that is emptied or goes back
 * to what it was, connections that break while commands are on their way, a former owner that still writes.
 *
 * Claims: whatever happens, Redis has all that decisions up to the position changed, so that whoever resyncs from there
 * misses nothing; at rest it has the last revision of each resource.
 *
 * Assumed: Redis executes what came by a broken connection before what comes by the next one. A heartbeat that it gets
 * later than that could store its position in a Redis that was emptied and claimed again in between.
 *
 * Mutants: POSITION_FIRST: the position is stored before the updates that it covers are acknowledged. NO_KNOWN: a
 * heartbeat does not look at what the position was. NO_CLAIM: an owner does not claim the position when it begins.
 * NO_RESYNC: a session begins without a resync.
 */
#define SEQS 2   /* decisions, each about one of two resources */
#ifndef FAULTS
#define FAULTS 2 /* Redis emptied or gone back, connections broken */
#endif

/* ---- PostgreSQL ---- */
byte db_seq;            /* of the last decision */
byte changed[SEQS + 1]; /* by seq: the resource that it changed, 0 or 1 */
byte rev[2];            /* of each resource: the seq that changed it last */
byte owner = 1;         /* the epoch */

/* ---- Redis: (epoch, rev) of each resource, the position (epoch 0: there is none); and its last save ---- */
byte at_epoch[2], at_rev[2], position_epoch, position_seq;
byte old_epoch[2], old_rev[2], old_position_epoch, old_position_seq;
bool saved;
byte faults;

mtype = { AWAY, RESYNCING, FOLLOWING };
mtype = { UPDATE, BEAT };

/* The connection of each worker, by epoch: commands on their way, in order, which are executed although it breaks. */
chan link[3] = [2] of { mtype, byte, byte, byte };
bool connected[3];
mtype sync[3] = AWAY;
byte missing[6];              /* by epoch and resource: the first seq that is not acknowledged; 0: none */
byte put[6];                  /* the rev on its way; 0: none */
byte known_epoch[3], known_seq[3];
byte floor[3];                /* cache_sync.c: floor_seq */
#define OF(e, r) ((e) * 2 + (r))

#define ALL_SHOWN(s) \
    ((db_seq < 1 || (s) < 1 || at_rev[changed[1]] >= 1) && (db_seq < 2 || (s) < 2 || at_rev[changed[2]] >= 2))
#define CHECK assert(position_epoch == 0 || ALL_SHOWN(position_seq))

/* cache_sync.c: lose_session. */
inline lose(e) {
    connected[e] = false;
    sync[e] = AWAY;
    put[OF(e, 0)] = 0;
    put[OF(e, 1)] = 0;
    floor[e] = 0
}

inline execute(e) {
    link[e]?what, a, b, c;
    if
    :: what == UPDATE -> /* write_resource.lua: resource a, rev b */
        if
        :: at_epoch[a] < e || (at_epoch[a] == e && at_rev[a] <= b) -> at_epoch[a] = e; at_rev[a] = b
        :: else
        fi;
        if
        :: connected[e] -> /* display.c: display_acknowledge */
            put[OF(e, a)] = 0;
            missing[OF(e, a)] = (rev[a] > b -> b + 1 : 0)
        :: else
        fi
    :: what == BEAT -> /* write_beat.lua: seq a, position known (b, c) */
        if
        :: position_epoch > e -> skip /* 1 */
#ifndef NO_KNOWN
        :: position_epoch <= e && (position_epoch < b || (position_epoch == b && position_seq < c)) ->
            if
            :: connected[e] -> lose(e) /* 2: redis_cache.c: write_beat */
            :: else
            fi
        :: position_epoch <= e && !(position_epoch < b || (position_epoch == b && position_seq < c)) ->
#else
        :: position_epoch <= e ->
#endif
            position_epoch = e;
            position_seq = a;
            if
            :: connected[e] -> known_epoch[e] = e; known_seq[e] = a
            :: else
            fi
        fi
    fi;
    CHECK;
    what = 0; a = 0; b = 0; c = 0
}

active proctype redis() {
    mtype what;
    byte a, b, c;
    do
    :: d_step { nempty(link[1]) -> execute(1) }
    :: d_step { nempty(link[2]) -> execute(2) }
    :: d_step { !saved && position_epoch != 0 -> /* to disk */
        saved = true;
        old_epoch[0] = at_epoch[0]; old_epoch[1] = at_epoch[1];
        old_rev[0] = at_rev[0]; old_rev[1] = at_rev[1];
        old_position_epoch = position_epoch; old_position_seq = position_seq
    }
    :: d_step { faults < FAULTS -> /* FLUSHALL: connections stay */
        faults++;
        at_epoch[0] = 0; at_epoch[1] = 0; at_rev[0] = 0; at_rev[1] = 0;
        position_epoch = 0; position_seq = 0
    }
    :: atomic { faults < FAULTS -> /* started again, from its last save: no connection is left, nor what was on its way */
        faults++;
        at_epoch[0] = old_epoch[0]; at_epoch[1] = old_epoch[1];
        at_rev[0] = old_rev[0]; at_rev[1] = old_rev[1];
        position_epoch = old_position_epoch; position_seq = old_position_seq;
        do
        :: nempty(link[1]) -> link[1]?_, _, _, _
        :: nempty(link[2]) -> link[2]?_, _, _, _
        :: empty(link[1]) && empty(link[2]) -> break
        od;
        lose(1);
        lose(2)
    }
    od
}

/* cache_sync.c: put_due; display.c. Nothing is put of a resource that has an update under way. */
#define MAY_PUT(r) (sync[e] != AWAY && missing[OF(e, r)] != 0 && put[OF(e, r)] == 0 && nfull(link[e]))
inline send_update(r) {
    put[OF(e, r)] = mine[r];
    link[e]!UPDATE, r, mine[r], 0
}

/* cache_sync.c: cache_sync_position; display.c: display_watermark: below the first change that is not acknowledged. */
#define BELOW(first) ((first) == 0 -> seen : (first) - 1)
#define WATERMARK \
    (BELOW(missing[OF(e, 0)]) < BELOW(missing[OF(e, 1)]) -> BELOW(missing[OF(e, 0)]) : BELOW(missing[OF(e, 1)]))
#ifdef POSITION_FIRST
#define POSITION seen
#else
#define POSITION (sync[e] == FOLLOWING -> WATERMARK : floor[e])
#endif

proctype worker(byte e) {
    byte seen, mine[2];
    atomic { owner == e -> seen = db_seq; mine[0] = rev[0]; mine[1] = rev[1] }
    do
    :: atomic { owner == e && db_seq < SEQS -> /* a decision is committed */
        db_seq++;
        seen = db_seq;
        if
        :: changed[db_seq] = 0
        :: changed[db_seq] = 1
        fi;
        rev[changed[db_seq]] = db_seq;
        mine[changed[db_seq]] = db_seq;
        if
        :: missing[OF(e, changed[db_seq])] == 0 -> missing[OF(e, changed[db_seq])] = db_seq
        :: else
        fi
    }
    :: atomic { sync[e] == AWAY && empty(link[e]) -> /* redis_cache.c: read_positions; claim_position.lua */
        connected[e] = true;
#ifndef NO_CLAIM
        if
        :: position_epoch < e -> position_epoch = e
        :: else
        fi;
#endif
        CHECK;
        known_epoch[e] = position_epoch;
        known_seq[e] = position_seq;
        /* cache_sync.c: begin_resync, take_unknown: what was changed behind the position is put again */
        floor[e] = (position_seq <= seen -> position_seq : 0);
#ifndef NO_RESYNC
        missing[OF(e, 0)] = (mine[0] > floor[e] -> floor[e] + 1 : 0);
        missing[OF(e, 1)] = (mine[1] > floor[e] -> floor[e] + 1 : 0);
#endif
        sync[e] = RESYNCING
    }
    :: d_step { sync[e] == RESYNCING && missing[OF(e, 0)] == 0 && missing[OF(e, 1)] == 0 -> sync[e] = FOLLOWING }
    :: d_step { MAY_PUT(0) -> send_update(0) }
    :: d_step { MAY_PUT(1) -> send_update(1) }
    :: d_step { /* loop.c: beat; redis_queue.c: redis_queue_take_beat */
        sync[e] != AWAY && empty(link[e]) && position_epoch <= e && (POSITION != known_seq[e] || position_epoch < e) ->
        link[e]!BEAT, POSITION, known_epoch[e], known_seq[e]
    }
    :: d_step { connected[e] && faults < FAULTS -> faults++; lose(e) } /* redis_cache.c: disconnected */
    :: d_step { owner == e && e == 1 -> owner = 2 } /* it writes on: it has not noticed yet */
    od
}

init {
    atomic { run worker(1); run worker(2) }
    timeout ->
        assert(at_rev[0] == rev[0] && at_rev[1] == rev[1]);
        assert(position_epoch == owner && position_seq == db_seq)
}
