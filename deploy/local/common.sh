# shellcheck shell=bash
# What every part of the local stack shares: messages, processes known by more than their pid, ports, waiting.
# Knows no part by name.

here=${BASH_SOURCE[0]%/*}
tree=$(cd "$here/../.." && pwd -P)
BUILD=$(realpath -m "${BUILD:-$tree/build}")
MODE=${MODE:-release}
BIN_DIR=$(realpath -m "${BIN_DIR:-$BUILD/$MODE}")

# The instance: set by `instance_open`, a folder with run/ (pid files), port/, log/ and a folder for each part.
D=

say() {
    printf '%s\n' "$*" >&2
}

die() { # die CODE MESSAGE
    say "$2"
    exit "$1"
}

instance_open() { # instance_open DIR
    mkdir -p "$1/run" "$1/port" "$1/log"
    D=$(cd "$1" && pwd -P)
    # One command at a time: a `down` waits for the `up` it interrupts. Servers do not inherit it.
    exec 9>"$D/lock"
    flock 9
}

# ---- processes -------------------------------------------------------------------------------------
# A pid alone is not trusted: after a crash or a reboot it may belong to another process. A pid file holds the pid,
# the process's start (clock ticks since boot) and the boot it belongs to.

process_stat() { # process_stat PID: sets $state and $started
    local line
    state='' started=''
    { read -r line <"/proc/$1/stat"; } 2>/dev/null || return 1
    # The name in parentheses may hold blanks: count from behind it.
    read -ra line <<<"${line##*) }"
    state=${line[0]} started=${line[19]}
}

process_boot() {
    local boot
    read -r boot </proc/sys/kernel/random/boot_id
    printf '%s' "$boot"
}

process_pid() { # process_pid NAME: prints the pid if that very process lives
    local pid since boot state started threads
    { read -r pid since boot <"$D/run/$1.pid"; } 2>/dev/null || return 1
    [ "$boot" = "$(process_boot)" ] || return 1
    process_stat "$pid" || return 1
    [ "$started" = "$since" ] || return 1
    # One that was killed keeps its port until the last of its threads is gone, not only the first.
    threads=("/proc/$pid/task/"*)
    if [ "$state" = Z ] && [ ${#threads[@]} -le 1 ]; then
        return 1
    fi
    printf '%s' "$pid"
}

process_alive() { # process_alive NAME
    process_pid "$1" >/dev/null
}

# Starts COMMAND in a session of its own, away from the terminal, its output in log/NAME.log.
process_start() { # process_start NAME COMMAND...
    local name=$1 pid state started
    shift
    setsid "$@" </dev/null >>"$D/log/$name.log" 2>&1 9>&- &
    pid=$!
    if process_stat "$pid"; then
        printf '%s %s %s\n' "$pid" "$started" "$(process_boot)" >"$D/run/$name.pid"
    fi
}

process_signal() { # process_signal NAME SIGNAL: one that has ended needs none
    local pid
    if pid=$(process_pid "$1"); then
        kill "-$2" "$pid" 2>/dev/null || true
    fi
}

process_await_end() { # process_await_end NAME SECONDS
    local deadline=$((SECONDS + $2))
    while process_alive "$1"; do
        if [ "$SECONDS" -ge "$deadline" ]; then
            return 1
        fi
        sleep 0.02
    done
}

# Asks the process to end, and insists after a time. One that was paused must be woken to hear it.
process_stop() { # process_stop NAME SIGNAL SECONDS
    process_signal "$1" CONT
    process_signal "$1" "$2"
    if ! process_await_end "$1" "$3"; then
        say "$1 did not end within $3 s: killed"
        process_kill "$1"
    fi
    rm -f "$D/run/$1.pid"
}

process_kill() { # process_kill NAME
    process_signal "$1" KILL
    process_await_end "$1" 10 || die 69 "could not kill $1"
    rm -f "$D/run/$1.pid"
}

# Asks CHECK again and again until it says yes; gives up when the process has ended or the time is over.
process_await() { # process_await NAME SECONDS CHECK...
    local name=$1 seconds=$2 deadline=$((SECONDS + $2))
    shift 2
    until "$@" >/dev/null 2>&1; do
        if ! process_alive "$name"; then
            process_complain "$name" "ended while starting"
        elif [ "$SECONDS" -ge "$deadline" ]; then
            process_complain "$name" "did not answer within $seconds s"
        fi
        sleep 0.05
    done
}

process_complain() { # process_complain NAME WHAT
    tail -n 15 "$D/log/$1.log" >&2 || true
    die 69 "could not start $1: it $2; see $D/log/$1.log"
}

# ---- ports -----------------------------------------------------------------------------------------
port_taken() { # port_taken PORT
    (: <>"/dev/tcp/127.0.0.1/$1") 2>/dev/null
}

port_of() { # port_of NAME: prints the port that NAME was given
    cat "$D/port/$1"
}

# Gives NAME a port. It keeps the one it had, so that exported addresses stay valid, unless it is taken.
# Below the range that the kernel takes ports of outgoing connections from: none of those can be in the way. The upper half
# of what is left is for the servers of tests.
port_choose() { # port_choose NAME
    local file=$D/port/$1 port low
    if [ -s "$file" ] && ! port_taken "$(cat "$file")"; then
        return
    fi
    read -r low _ </proc/sys/net/ipv4/ip_local_port_range
    [ "$low" -gt 12000 ] || low=32768
    port=$((10000 + RANDOM % ((low - 10000) / 2)))
    while port_taken "$port"; do
        port=$((10000 + RANDOM % ((low - 10000) / 2)))
    done
    printf '%s\n' "$port" >"$file"
}
