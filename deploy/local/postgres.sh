# shellcheck shell=bash disable=SC2154 # here is set in common.sh
# The private PostgreSQL cluster of an instance: loopback with passwords, no socket, flushed as in earnest.
# As root it runs as the package's user, for initdb and postgres refuse root.

postgres_as=() # how to become the user who runs the server
P=             # where the cluster lies; empty as long as the instance has none

postgres_bin() { # postgres_bin PROGRAM: prints the path of the newest version's
    local found
    found=$(compgen -G "/usr/lib/postgresql/*/bin/$1" | sort -V | tail -n 1) || true
    [ -n "$found" ] || found=$(command -v "$1") || die 69 "could not find $1: run deploy/local/packages"
    printf '%s' "$found"
}

postgres_open() { # to be called once, before the others
    if [ "$(id -u)" -eq 0 ]; then
        postgres_as=(setpriv --reuid=postgres --regid=postgres --init-groups --)
    fi
    if [ -s "$D/postgres.place" ]; then
        P=$(cat "$D/postgres.place")
    fi
}

# The cluster lies in the instance, or, where the server's user may not go there, in a private folder under
# TMPDIR. Written down, because TMPDIR may be another the next time.
postgres_settle() {
    P=$D/postgres
    if ! "${postgres_as[@]}" test -x "$D"; then
        P=$(realpath "$(mktemp -d "${TMPDIR:-/tmp}/usher-postgres-XXXXXX")")
    fi
    printf '%s\n' "$P" >"$D/postgres.place"
}

postgres_exists() {
    [ -s "$P/data/PG_VERSION" ]
}

# A cluster whose data vanished (TMPDIR emptied by a reboot) while the log of requests stayed is not a state
# that the promise covers; the caller then starts everything afresh.
postgres_lost() {
    [ -e "$D/postgres.made" ] && ! postgres_exists
}

postgres_secret() { # postgres_secret ROLE: prints the password of the role, made at first use
    local file=$D/secret/$1
    if [ ! -s "$file" ]; then
        (
            umask 077
            mkdir -p "$D/secret"
            od -An -N16 -tx1 /dev/urandom | tr -d ' \n' >"$file"
        )
    fi
    cat "$file"
}

postgres_uri() { # postgres_uri admin|usher_owner|usher_worker|usher_reader
    printf 'postgresql://%s:%s@127.0.0.1:%s/usher' "$1" "$(postgres_secret "$1")" "$(port_of postgres)"
}

postgres_init() {
    local password
    install -d -m 700 "$P"
    rm -rf "$P/data.new"
    password=$(mktemp "$P/password-XXXXXX")
    postgres_secret admin >"$password"
    if [ "$(id -u)" -eq 0 ]; then
        chown postgres "$P" "$password"
    fi
    (cd / && "${postgres_as[@]}" "$(postgres_bin initdb)" --pgdata="$P/data.new" --username=admin \
        --pwfile="$password" --auth-host=scram-sha-256 --auth-local=reject --encoding=UTF8 \
        --locale=C.UTF-8 --no-sync) >>"$D/log/postgres.log" 2>&1 ||
        die 69 "could not create the PostgreSQL cluster; see $D/log/postgres.log"
    rm -f "$password"
    mv "$P/data.new" "$P/data"
    touch "$D/postgres.made"
}

# Settings of a small server that really flushes. Written at each start, the port may have changed.
postgres_configure() {
    local data=$P/data
    grep -qx "include 'usher.conf'" "$data/postgresql.conf" ||
        printf "include 'usher.conf'\n" >>"$data/postgresql.conf"
    cat >"$data/usher.conf" <<-CONF
	listen_addresses = '127.0.0.1'
	port = $(port_of postgres)
	unix_socket_directories = ''
	max_connections = 200
	shared_buffers = 256MB
	max_wal_size = 2GB
	fsync = on
	synchronous_commit = on
	logging_collector = off
	log_min_messages = warning
	CONF
    chmod 644 "$data/usher.conf"
}

# Every process of this cluster, found by the folder it works in: server and backends, whoever started them.
postgres_processes() {
    local process
    [ -n "$P" ] || return 0
    for process in $(pgrep -x postgres); do
        if [ "$(readlink "/proc/$process/cwd" 2>/dev/null)" = "$P/data" ]; then
            printf '%s\n' "$process"
        fi
    done
}

postgres_signal() { # postgres_signal SIGNAL: to the server and its backends
    local processes
    mapfile -t processes < <(postgres_processes)
    if [ ${#processes[@]} -gt 0 ]; then
        # One that ended meanwhile needs no signal.
        kill "-$1" "${processes[@]}" 2>/dev/null || true
    fi
}

# Backends outlive a killed server for a moment, and a new one may not start beside them. Signalled again and
# again: a backend that the server started while its processes were listed got no signal, and waits for ever if
# one that was killed held an internal lock.
postgres_kill() {
    local deadline=$((SECONDS + 10))
    while [ -n "$(postgres_processes)" ]; do
        [ "$SECONDS" -lt "$deadline" ] || die 69 "could not kill the processes of $P/data"
        postgres_signal KILL
        sleep 0.02
    done
    rm -f "$D/run/postgres.pid"
}

postgres_start() {
    [ -n "$P" ] || postgres_settle
    postgres_kill
    postgres_exists || postgres_init
    port_choose postgres
    postgres_configure
    # Nothing of this cluster runs: a pid file that a crash left could name a stranger.
    rm -f "$P/data/postmaster.pid"
    (cd / && process_start postgres "${postgres_as[@]}" "$(postgres_bin postgres)" -D "$P/data")
}

postgres_answers() {
    "$(postgres_bin pg_isready)" -q -h 127.0.0.1 -p "$(port_of postgres)"
}

postgres_await() {
    process_await postgres 60 postgres_answers
    [ -e "$D/postgres.ready" ] || postgres_roles
}

# The database and its three roles, which the schema then gives the least that each needs.
postgres_roles() {
    local uri
    uri="$(postgres_uri admin)"
    env USHER_OWNER_PASSWORD="$(postgres_secret usher_owner)" USHER_WORKER_PASSWORD="$(postgres_secret usher_worker)" \
        USHER_READER_PASSWORD="$(postgres_secret usher_reader)" \
        "$(postgres_bin psql)" -qX -v ON_ERROR_STOP=1 -f "$here/../kubernetes/overlays/try/roles.sql" "${uri%/usher}/postgres" \
        >>"$D/log/postgres.log" 2>&1 ||
        die 69 "could not create roles and database; see $D/log/postgres.log"
    touch "$D/postgres.ready"
}

postgres_stop() {
    postgres_signal CONT
    process_stop postgres INT 30
}

postgres_wipe() {
    [ -z "$P" ] || rm -rf "$P"
    P=
    rm -f "$D/postgres.place" "$D/postgres.made" "$D/postgres.ready"
}
