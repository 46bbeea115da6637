/*
 * A partition that moves between two databases beside the commands that go through both, one after the other: `prune`, which
 * deletes a resource, and `forget-customer`, which replaces a name. Each has sessions that hold the partitions where they live,
 * which may be lost, and transactions that ask for that again.
 *
 * Claims: a move never finds that rows differ that nobody changed by hand; a resource is pruned once, and where it is pruned it
 * does not come back; at rest the name is gone from where the partition lives, if `forget-customer` ended well.
 *
 * That usher.prune_end looks at the partition's row again is a check on the program: nothing here fails without it.
 *
 * Mutants: NO_HOLD: commands do not hold the databases. NO_CLOSE: they do not ask at their end whether they did. NO_LOOK:
 * `forget-customer` does not ask all databases, before it begins, whether the partition is on its way. NO_STAY: a transaction asks whether the partition stays, and locks nothing. NO_HOME: it asks whether it is on its way, and not whether
 * it lives there. FREE: a move that begins takes no lock that conflicts with these, as an update of no key does not with
 * `for key share`.
 */
#define MOVES 2
#ifndef FAULTS
#define FAULTS 1 /* sessions that hold and are lost */
#endif
#define PRUNE 0
#define FORGET 1

/* ---- usher.partition_state in each database: 1 and 2 are the shards a and b; 0: null ---- */
byte shard[2], destination[2];
#define HERE(d) (shard[d] == (d) + 1)

/* ---- what each has of the partition ---- */
bool resource[2], named[2], pruned[2];

/* ---- usher.shard: how many lock its row `for share` ---- */
byte shared[2];
bool holds[2]; /* by command: its sessions are there */
byte faults, ended, deleted;
bool well; /* forget-customer ended well */
bool begun; /* the partition lives somewhere */

inline hold(command) {
#ifdef NO_HOLD
    skip
#else
    shared[0]++;
    shared[1]++;
    holds[command] = true
#endif
}

inline release(command) {
    d_step {
        if
        :: holds[command] ->
            holds[command] = false;
            shared[0]--;
            shared[1]--
        :: else
        fi
    }
}

/* usher.stays; a transaction that begins. */
inline stay(d, ok) {
    ok = (destination[d] == 0
#ifndef NO_HOME
          && HERE(d)
#endif
    );
#ifndef NO_STAY
    if
    :: ok -> shared[d]++
    :: else
    fi
#endif
}

inline commit(d) {
#ifndef NO_STAY
    shared[d]--
#else
    skip
#endif
}

active proctype mover() {
    byte s, t, moves;
    begun;
    do
    :: moves < MOVES ->
        moves++;
        d_step {
            s = (HERE(0) -> 0 : 1);
            t = 1 - s;
            resource[t] = false; /* what it had left there */
            named[t] = false;
            pruned[t] = false
        }
#ifdef FREE
        destination[s] = t + 1;
#else
        d_step { shared[s] == 0 -> destination[s] = t + 1 };
#endif
        d_step { shard[t] = s + 1; destination[t] = t + 1 };
        d_step { resource[t] = resource[s]; named[t] = named[s]; pruned[t] = pruned[s] };
        assert(resource[s] == resource[t] && named[s] == named[t]); /* all rows are compared */
        shard[s] = 0;
        d_step { pruned[t] = pruned[s]; shard[t] = t + 1; destination[t] = 0 }; /* the last page */
        d_step { shard[s] = t + 1; destination[s] = 0 }
    :: break /* it is not moved any more */
    od;
    ended++
}

active proctype prune() {
    byte d;
    bool lists, ok;
    begun;
    hold(PRUNE);
    do
    :: d < 2 ->
        lists = HERE(d) && destination[d] == 0 && resource[d];
        if
        :: lists ->
            d_step { stay(d, ok) };
            if
            :: ok ->
                d_step {
                    if
                    :: resource[d] ->
                        resource[d] = false;
                        assert(!pruned[d]);
                        pruned[d] = true;
                        deleted++
                    :: else
                    fi;
                    commit(d)
                }
            :: else
            fi
        :: else
        fi;
        d++
    :: else -> break
    od;
    release(PRUNE);
    ended++
}

/* Of rows that were left behind it knows nothing, and it is refused where the partition is on its way. */
active proctype forget() {
    byte d;
    bool lives, ok, refused;
    begun;
    hold(FORGET);
#ifndef NO_LOOK
    refused = (destination[0] != 0);
    refused = refused || (destination[1] != 0);
#endif
    do
    :: d < 2 && !refused ->
        d_step {
            lives = HERE(d);
            refused = (destination[d] != 0);
            ok = false;
            if
            :: !refused && lives -> stay(d, ok)
            :: else
            fi
        };
        if
        :: ok ->
            d_step {
                named[d] = (HERE(d) -> false : named[d]);
                commit(d)
            }
        :: else
        fi;
        d++
    :: else -> break
    od;
#ifdef NO_CLOSE
    well = !refused;
#else
    well = (!refused && holds[FORGET]);
#endif
#ifdef NO_HOLD
    well = !refused;
#endif
    release(FORGET);
    ended++
}

active proctype faulty() {
end:
    do
    :: d_step { faults < FAULTS && holds[PRUNE] -> faults++; holds[PRUNE] = false; shared[0]--; shared[1]-- }
    :: d_step { faults < FAULTS && holds[FORGET] -> faults++; holds[FORGET] = false; shared[0]--; shared[1]-- }
    od
}

init {
    byte home;
    d_step {
        if
        :: home = 0
        :: home = 1
        fi;
        shard[home] = home + 1;
        resource[home] = true;
        named[home] = true;
        begun = true
    }
    ended == 3;
    assert(HERE(0) != HERE(1));
    home = (HERE(0) -> 0 : 1);
    assert(!(resource[home] && pruned[home]) && deleted <= 1);
    assert(!well || !named[home])
}
