# shellcheck shell=bash
# The private Redis of an instance: loopback, its data kept across restarts by an append-only file.

redis_answers() {
    [ "$(redis-cli -h 127.0.0.1 -p "$(port_of redis)" ping)" = PONG ]
}

redis_start() {
    port_choose redis
    mkdir -p "$D/redis"
    process_start redis redis-server --bind 127.0.0.1 --port "$(port_of redis)" --dir "$D/redis" \
        --daemonize no --save '' --appendonly yes --appendfsync no
}

redis_await() {
    process_await redis 30 redis_answers
}

redis_stop() {
    process_stop redis TERM 10
}

redis_kill() {
    process_kill redis
}

redis_signal() { # redis_signal SIGNAL
    process_signal redis "$1"
}

redis_url() {
    printf 'redis://127.0.0.1:%s' "$(port_of redis)"
}
