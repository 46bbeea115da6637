# shellcheck shell=bash disable=SC2154 # here, tree, BUILD are set in common.sh
# The private Apache Kafka of an instance: one node, broker and controller at once, on loopback.
# The jars are resolved once for all instances of a build.

kafka_jars() { # prints the folder of the jars, fetched at first use
    local version home
    version=$(sed -n 's|.*<kafka.version>\(.*\)</kafka.version>.*|\1|p' "$here/kafka/pom.xml")
    home=$BUILD/kafka-$version
    if [ ! -d "$home" ]; then
        kafka_fetch "$home"
    fi
    printf '%s' "$home"
}

# Two instances may start at once: the second waits for the first's download. Moved into place when complete.
kafka_fetch() { # kafka_fetch HOME
    mkdir -p "$BUILD"
    (
        flock 8
        if [ -d "$1" ]; then
            exit 0
        fi
        say "fetching Apache Kafka (once)"
        rm -rf "$1.new"
        mvn -B -q -f "$here/kafka/pom.xml" dependency:copy-dependencies -DoutputDirectory="$1.new" \
            >"$1.log" 2>&1 9>&- || die 69 "could not fetch Apache Kafka; see $1.log"
        mv "$1.new" "$1"
    ) 8>"$1.lock"
}

# group.min.session.timeout.ms lets take-over tests use sessions of a second; the broker's own short session
# lets it come back at once after it was killed, instead of waiting until its old registration is forgotten.
# A transaction whose client is gone holds up its partitions until it is aborted: that is looked for each second, not
# every ten, and no client may ask for more than a minute.
kafka_configure() {
    cat >"$D/kafka/server.properties" <<-CONF
	process.roles=broker,controller
	node.id=1
	controller.quorum.voters=1@127.0.0.1:$(port_of kafka-controller)
	listeners=BROKER://127.0.0.1:$(port_of kafka),CONTROLLER://127.0.0.1:$(port_of kafka-controller)
	advertised.listeners=BROKER://127.0.0.1:$(port_of kafka)
	listener.security.protocol.map=BROKER:PLAINTEXT,CONTROLLER:PLAINTEXT
	inter.broker.listener.name=BROKER
	controller.listener.names=CONTROLLER
	log.dirs=$D/kafka/data
	auto.create.topics.enable=false
	message.max.bytes=1200000
	replica.fetch.max.bytes=1200000
	offsets.topic.num.partitions=1
	offsets.topic.replication.factor=1
	transaction.state.log.num.partitions=1
	transaction.state.log.replication.factor=1
	transaction.state.log.min.isr=1
	transaction.abort.timed.out.transaction.cleanup.interval.ms=1000
	transaction.max.timeout.ms=60000
	group.initial.rebalance.delay.ms=0
	group.min.session.timeout.ms=500
	broker.session.timeout.ms=2000
	broker.heartbeat.interval.ms=500
	num.network.threads=2
	num.io.threads=4
	CONF
}

# How the broker's Java compiles and keeps its memory, for all who start one. KAFKA_JAVA says which way:
#   quick   (default) for tests, which start many: up in the least time, 400 MB resident. Its collector, G1 where there are
#           two processors, stops it for up to 140 ms, once or twice a second under load.
#   steady  where answers are timed: 1.2 GB resident. The serial collector takes as long as there is alive among the new
#           objects, and of 600 MB of them hardly any are; touched at the start, so that no page is made meanwhile.
# More flags may follow, or flags alone. Neither way has the second compiler: it would take a third of two cores for
# minutes, and what it makes of this little broker is not faster than what the first one did. `make bench-broker` measures.
kafka_java_flags() { # prints them, one word a line
    local words
    read -ra words <<<"${KAFKA_JAVA:-quick}"
    printf '%s\n' -XX:TieredStopAtLevel=1
    case ${words[0]} in
    quick) printf '%s\n' -Xms256m -Xmx512m ;;
    steady) printf '%s\n' -XX:+UseSerialGC -Xms1g -Xmx1g -Xmn600m -XX:+AlwaysPreTouch ;;
    *) printf '%s\n' "${words[0]}" ;;
    esac
    [ ${#words[@]} -eq 1 ] || printf '%s\n' "${words[@]:1}"
}

kafka_java() { # kafka_java HOME: prints the command line of the broker's Java, one word a line
    echo java
    kafka_java_flags
    printf '%s\n' "-XX:SharedArchiveFile=$1.jsa" -XX:+ExitOnOutOfMemoryError -Djava.awt.headless=true \
        -Dorg.slf4j.simpleLogger.defaultLogLevel=warn -Dorg.slf4j.simpleLogger.showDateTime=true \
        '-Dorg.slf4j.simpleLogger.dateTimeFormat=yyyy-MM-dd HH:mm:ss.SSS' -cp "$1/*"
}

kafka_id() { # a cluster id as Kafka writes them: 16 random bytes, base64 for URLs; an A first, never a dash
    printf 'A%s' "$(head -c 16 /dev/urandom | base64 | tr '+/' '-_' | cut -c 2-22)"
}

# A broker that loads its classes from an archive is up in half the time. The first one of a build writes that as it ends.
# Two instances may start at once: the second waits.
kafka_archive() { # kafka_archive HOME COMMAND...: the command line of its Java
    local file=$1.jsa
    shift
    (
        flock 8
        if [ -e "$file" ]; then
            exit 0
        fi
        process_start kafka "${@/#-XX:SharedArchiveFile=*/-XX:ArchiveClassesAtExit=$file.new}" \
            kafka.Kafka "$D/kafka/server.properties"
        kafka_await
        process_stop kafka TERM 60
        mv "$file.new" "$file"
    ) 8>"$file.lock" || {
        say "the broker's classes could not be archived: it starts slowly"
        kafka_kill
    }
}

kafka_start() {
    local home java quick
    home=$(kafka_jars)
    mapfile -t java < <(kafka_java "$home")
    mapfile -t quick < <(KAFKA_JAVA=quick kafka_java "$home")
    port_choose kafka
    port_choose kafka-controller
    mkdir -p "$D/kafka"
    kafka_configure
    if [ ! -s "$D/kafka/data/meta.properties" ]; then
        "${quick[@]}" kafka.tools.StorageTool format -t "$(kafka_id)" -c "$D/kafka/server.properties" \
            >>"$D/log/kafka.log" 2>&1 9>&- || die 69 "could not format Kafka's storage; see $D/log/kafka.log"
    fi
    kafka_archive "$home" "${java[@]}"
    process_start kafka "${java[@]}" kafka.Kafka "$D/kafka/server.properties"
}

kafka_answers() {
    port_taken "$(port_of kafka)" &&
        kcat -L -m 2 -b "$(kafka_brokers)" 2>/dev/null | grep -q '^ 1 brokers:'
}

kafka_await() {
    process_await kafka 60 kafka_answers
}

kafka_stop() {
    process_stop kafka TERM 20
}

kafka_kill() {
    process_kill kafka
}

kafka_signal() { # kafka_signal SIGNAL
    process_signal kafka "$1"
}

kafka_brokers() {
    printf '127.0.0.1:%s' "$(port_of kafka)"
}
