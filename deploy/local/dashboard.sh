# shellcheck shell=bash
# The dashboard of an instance: one process, which reads its Redis.

dashboard_program() {
    [ -x "$BIN_DIR/usher-dashboard" ] || die 70 "could not find $BIN_DIR/usher-dashboard: run make"
    printf '%s' "$BIN_DIR/usher-dashboard"
}

dashboard_http() {
    printf '127.0.0.1:%s' "$(port_of dashboard)"
}

dashboard_start() {
    local program
    if process_alive dashboard; then
        process_signal dashboard CONT
        return
    fi
    program=$(dashboard_program)
    port_choose dashboard
    process_start dashboard env USHER_REDIS="$(redis_url)" USHER_DASHBOARD_LISTEN="$(dashboard_http)" \
        "$program" run
}

dashboard_answers() {
    curl -fsS --max-time 2 "http://$(dashboard_http)/readyz"
}

dashboard_await() {
    process_await dashboard 30 dashboard_answers
}

dashboard_stop() {
    process_stop dashboard TERM 10
}
