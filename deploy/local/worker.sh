# shellcheck shell=bash
# The usher workers of an instance, numbered from 1: each with an HTTP port of its own. Also what has to be there
# before a worker can run: topics and schema.

worker_program() {
    [ -x "$BIN_DIR/usher-worker" ] || die 70 "could not find $BIN_DIR/usher-worker: run make"
    printf '%s' "$BIN_DIR/usher-worker"
}

worker_http() { # worker_http N
    printf '127.0.0.1:%s' "$(port_of "worker-$1")"
}

# Where an instance listens, as the programs read it. Also what `up` prints.
stack_environment() { # stack_environment: prints NAME=VALUE lines
    printf 'USHER_KAFKA_BROKERS=%s\n' "$(kafka_brokers)"
    printf 'USHER_POSTGRES=%s\n' "$(postgres_uri usher_worker)"
    printf 'USHER_REDIS=%s\n' "$(redis_url)"
    printf 'USHER_HTTP_LISTEN=%s\n' "$(worker_http 1)"
}

worker_run() { # worker_run ARGUMENTS...: the worker's program in this instance's environment
    local program environment
    program=$(worker_program)
    mapfile -t environment < <(stack_environment)
    env "${environment[@]}" "$program" "$@"
}

worker_prepare() { # worker_prepare PARTITIONS
    local program
    program=$(worker_program)
    {
        worker_run topics create --partitions "$1" --replication 1 &&
            env USHER_POSTGRES="$(postgres_uri usher_owner)" "$program" migrate up
    } >"$D/log/prepare.log" 2>&1 9>&- || {
        tail -n 15 "$D/log/prepare.log" >&2
        die 69 "could not create topics or schema; see $D/log/prepare.log"
    }
}

worker_start() { # worker_start N ARGUMENTS...
    local number=$1 program environment
    shift
    if process_alive "worker-$number"; then
        process_signal "worker-$number" CONT
        return
    fi
    program=$(worker_program)
    port_choose "worker-$number"
    mapfile -t environment < <(stack_environment)
    process_start "worker-$number" env "${environment[@]}" USHER_HTTP_LISTEN="$(worker_http "$number")" \
        "$program" run "$@"
}

worker_answers() { # worker_answers N
    curl -fsS --max-time 2 "http://$(worker_http "$1")/readyz"
}

worker_await() { # worker_await N
    process_await "worker-$1" 30 worker_answers "$1"
}

worker_stop() { # worker_stop N
    process_stop "worker-$1" TERM 20
}

# A worker built with a sanitizer may have complained, of leaks even as it ended; so may the dashboard.
workers_sound() {
    local found
    if found=$(grep -s -l -E '(Address|Leak|Thread)Sanitizer|: runtime error: ' "$D"/log/{worker-*,dashboard}.log); then
        die 70 "a sanitizer complained; see ${found//$'\n'/ }"
    fi
}

workers() { # prints the numbers of the workers that this instance has had
    local file
    for file in "$D"/run/worker-*.pid; do
        [ -e "$file" ] || continue
        file=${file##*/worker-}
        printf '%s\n' "${file%.pid}"
    done
}
