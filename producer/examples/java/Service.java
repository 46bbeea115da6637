import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.InputStreamReader;
import java.io.LineNumberReader;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * A service that sells through usher, complete. Needs what pom.xml names. What it does and why is explained in
 * producer/docs/write-a-service.md.
 *
 * <pre>
 *   java Service ask        reads requests, one JSON object per line, and prints their answers
 *   java Service follow     writes each customer's letters into its own database, for each answer exactly once
 * </pre>
 *
 * Reads USHER_KAFKA_BROKERS and USHER_TOPIC_PREFIX as all of usher does; DATABASE, a JDBC URL; ANSWER_TIMEOUT in
 * seconds and ANSWER_TRIES.
 */
public final class Service {
    static final String BROKERS = setting("USHER_KAFKA_BROKERS", "localhost:9092");
    static final String PREFIX = setting("USHER_TOPIC_PREFIX", "booking");
    static final String REQUESTS = PREFIX + ".requests.v1", RESULTS = PREFIX + ".results.v1";
    static final long TIMEOUT_MS = (long) (Double.parseDouble(setting("ANSWER_TIMEOUT", "5")) * 1000);
    static final int TRIES = Integer.parseInt(setting("ANSWER_TRIES", "5"));
    static final ObjectMapper JSON = new ObjectMapper();
    static final Pattern ID = Pattern.compile("[A-Za-z0-9_.:-]{1,64}");

    static String setting(String name, String otherwise) {
        return System.getenv().getOrDefault(name, otherwise);
    }

    /** Reads the partitions that it is told to, from the offsets that it is told: never from a guess of its own. */
    static KafkaConsumer<String, String> resultsConsumer() {
        Map<String, Object> settings = Map.of(
                "bootstrap.servers", BROKERS, "enable.auto.commit", "false", "auto.offset.reset", "none");
        return new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer());
    }

    static List<TopicPartition> resultsPartitions(KafkaConsumer<?, ?> consumer) {
        return consumer.partitionsFor(RESULTS).stream().map(p -> new TopicPartition(RESULTS, p.partition())).toList();
    }

    // ---- asking: publish a request, find its answer ----------------------------------------------------------

    /**
     * Asks for any number of threads. An answer is found by resource and request id: ids belong to their resource. Of what
     * usher cannot read (half an emoji, a number of 400 digits) the answer may lack them: one that is invalid is found by its
     * source, the partition and offset that the delivery report of the request named.
     */
    static final class Desk {
        static final int SOURCES_KEPT = 10_000;

        record Place(String resource, String requestId) {}

        record Source(int partition, long offset) {}

        // Who asked first is answered first.
        private final Map<Place, Queue<CompletableFuture<JsonNode>>> waiting = new HashMap<>();
        // Answers that are invalid.
        private final Map<Source, CompletableFuture<JsonNode>> sources = new LinkedHashMap<>() {
            @Override
            protected boolean removeEldestEntry(Map.Entry<Source, CompletableFuture<JsonNode>> eldest) {
                return size() > SOURCES_KEPT;
            }
        };
        // The Java client's own partitioner is the right one, and idempotence its default.
        private final KafkaProducer<String, String> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", BROKERS), new StringSerializer(), new StringSerializer());

        Desk() {
            KafkaConsumer<String, String> consumer = resultsConsumer();
            List<TopicPartition> partitions = resultsPartitions(consumer);
            consumer.assign(partitions);
            // From the ends as they are before anything is sent: the answers come after them.
            consumer.endOffsets(partitions).forEach(consumer::seek);
            Thread listener = new Thread(() -> listen(consumer));
            listener.setDaemon(true);
            listener.start();
        }

        /**
         * The answer. Without one in time the request is repeated with its id: whatever became of the first try, it has
         * one effect. IllegalArgumentException: it is no request, and nothing is published.
         */
        JsonNode ask(JsonNode request) throws Exception {
            Place place = placeOf(request);
            CompletableFuture<JsonNode> answer = new CompletableFuture<>();
            join(place, answer);
            try {
                for (int attempt = 0; attempt < TRIES; attempt++) {
                    producer.send(new ProducerRecord<>(REQUESTS, place.resource, request.toString()), (sent, failed) -> {
                        if (failed == null) {
                            at(new Source(sent.partition(), sent.offset())).thenAccept(answer::complete);
                        }
                    });
                    try {
                        return answer.get(TIMEOUT_MS, TimeUnit.MILLISECONDS);
                    } catch (TimeoutException late) {
                        System.err.println("no answer to " + place + " within " + TIMEOUT_MS + " ms: repeating it");
                    }
                }
            } finally {
                leave(place, answer);
            }
            throw new TimeoutException(
                    "no answer to " + place + ": it may still be decided; ask again with the same id");
        }

        private synchronized void join(Place place, CompletableFuture<JsonNode> answer) {
            waiting.computeIfAbsent(place, p -> new ArrayDeque<>()).add(answer);
        }

        private synchronized void leave(Place place, CompletableFuture<JsonNode> answer) {
            waiting.computeIfPresent(place, (p, all) -> {
                all.remove(answer);
                return all.isEmpty() ? null : all; // the others wait on
            });
        }

        private synchronized CompletableFuture<JsonNode> next(Place place) {
            Queue<CompletableFuture<JsonNode>> all = waiting.get(place);
            return all == null ? null : all.poll();
        }

        /** The answer that is invalid, whether it or the report of its request comes first. */
        private synchronized CompletableFuture<JsonNode> at(Source source) {
            return sources.computeIfAbsent(source, s -> new CompletableFuture<>());
        }

        /** Where its answer is found. IllegalArgumentException: it is no request. */
        static Place placeOf(JsonNode request) {
            return new Place(id(request, "resource"), id(request, "request_id"));
        }

        /** An id that usher cannot read would come back as null, and nobody would find the answer. */
        private static String id(JsonNode request, String field) {
            String id = request.path(field).textValue();
            if (id == null || !ID.matcher(id).matches()) {
                throw new IllegalArgumentException(field + ": must be 1 to 64 of A-Z a-z 0-9 _ . : -");
            }
            return id;
        }

        private void listen(KafkaConsumer<String, String> consumer) {
            try {
                while (true) {
                    for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofSeconds(1))) {
                        handOver(JSON.readTree(record.value()));
                    }
                }
            } catch (Exception error) {
                error.printStackTrace();
                Runtime.getRuntime().halt(1); // who hears no answers is of no use: to be started again
            }
        }

        private void handOver(JsonNode answer) {
            if (answer.has("unasked")) { // these bear the id of the request that made the booking
                return;
            }
            if (answer.path("outcome").asText().equals("invalid")) {
                JsonNode source = answer.get("source");
                at(new Source(source.get("partition").asInt(), source.get("offset").asLong())).complete(answer);
                return;
            }
            CompletableFuture<JsonNode> first =
                    next(new Place(answer.path("resource").asText(), answer.path("request_id").asText()));
            if (first != null) {
                first.complete(answer);
            }
        }
    }

    interface Work {
        void on(JsonNode line) throws Exception;
    }

    /** The first that is wrong ends it, and is named. */
    static void forEachLine(Work work) throws Exception {
        LineNumberReader lines = new LineNumberReader(new InputStreamReader(System.in));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            try {
                work.on(JSON.readTree(line));
            } catch (Exception error) {
                throw new Exception("in line " + lines.getLineNumber(), error);
            }
        }
    }

    static void ask() throws Exception {
        Desk desk = new Desk();
        forEachLine(line -> System.out.println(desk.ask(line)));
    }

    // ---- following: every answer once, whatever crashes --------------------------------------------------------

    static final String SCHEMA = """
            create table if not exists followed
                (partition int primary key, seq bigint not null, next_offset bigint not null);
            create table if not exists letter (id bigserial, customer text not null, words text not null)
            """;
    // Touches a row if the answer is the next of its partition, or the first ever. Locks it, too: of two instances that
    // have the same answer, one is the first.
    static final String ACCEPT = """
            insert into followed values (?, ?, ? + 1)
            on conflict (partition) do update set seq = excluded.seq, next_offset = excluded.next_offset
            where followed.seq = excluded.seq - 1
            """;

    /** Where a cart was confirmed or cancelled, its units name the bookings that they are of. */
    static Set<String> bookings(JsonNode answer) {
        Set<String> bookings = new LinkedHashSet<>();
        if (answer.has("booking")) {
            bookings.add(answer.get("booking").asText());
        } else {
            answer.path(answer.has("units") ? "units" : "returned").findValuesAsText("booking").forEach(bookings::add);
        }
        return bookings;
    }

    /** What the customer is told of one booking; null: nothing. A repeated answer was told before. */
    static String words(JsonNode answer, String booking) {
        String name = booking + " of " + answer.path("resource").asText();
        String outcome = answer.get("outcome").asText();
        if (outcome.equals("held") && answer.has("unasked")) {
            return "Your turn: " + name + " is held for you until " + answer.get("expires_at").asText() + ".";
        }
        return answer.has("replayed") ? null : switch (outcome) {
            case "confirmed" -> "Your booking " + name + " is yours.";
            case "expired" -> "Your seats " + name + " were not paid in time.";
            case "cancelled" -> "Your booking " + name + " is cancelled.";
            default -> null;
        };
    }

    static int update(Connection database, String sql, Object... values) throws SQLException {
        try (PreparedStatement statement = database.prepareStatement(sql)) {
            for (int i = 0; i < values.length; i++) {
                statement.setObject(i + 1, values[i]);
            }
            return statement.executeUpdate();
        }
    }

    static Map<Integer, Long> stored(Connection database) throws SQLException {
        Map<Integer, Long> offsets = new HashMap<>();
        try (var statement = database.createStatement();
                var rows = statement.executeQuery("select partition, next_offset from followed")) {
            while (rows.next()) {
                offsets.put(rows.getInt(1), rows.getLong(2));
            }
        }
        return offsets;
    }

    /** Answers that are not in the log: the view usher.history has them. */
    static final class Lost extends Exception {
        private static final long serialVersionUID = 1;

        Lost(String message) {
            super(message);
        }
    }

    static final class Follower {
        private final Connection database;
        private final KafkaConsumer<String, String> consumer = resultsConsumer();
        // Where a seq was too high: the end of the log when that was first seen.
        private final Map<TopicPartition, Long> searched = new HashMap<>();

        Follower() throws SQLException {
            database = DriverManager.getConnection(System.getenv("DATABASE"));
            database.setAutoCommit(false);
            update(database, SCHEMA);
            database.commit();
        }

        /** Each partition goes on behind what is stored, else at the first answer that is kept. */
        private void resume() throws SQLException, Lost {
            Map<Integer, Long> stored = stored(database);
            database.commit();
            List<TopicPartition> partitions = resultsPartitions(consumer);
            consumer.assign(partitions);
            for (Map.Entry<TopicPartition, Long> place : consumer.beginningOffsets(partitions).entrySet()) {
                int partition = place.getKey().partition();
                long first = place.getValue(), offset = stored.getOrDefault(partition, first);
                if (offset < first) {
                    throw new Lost("partition " + partition + " goes on at offset " + offset + ", but its log begins at "
                            + first + ": retention deleted answers, which the view usher.history has");
                }
                consumer.seek(place.getKey(), offset);
            }
        }

        private void take(ConsumerRecord<String, String> record) throws Exception {
            JsonNode answer = JSON.readTree(record.value());
            TopicPartition place = new TopicPartition(RESULTS, record.partition());
            if (update(database, ACCEPT, record.partition(), answer.get("seq").asLong(), record.offset()) == 0) {
                look(place, record.offset(), answer.get("seq").asLong());
                return;
            }
            searched.remove(place);
            for (String booking : bookings(answer)) {
                if (words(answer, booking) != null) {
                    update(database, "insert into letter (customer, words) values (?, ?)",
                            answer.get("customer").asText(), words(answer, booking));
                }
            }
        }

        /** A low seq was accepted. A high one: those before it follow in the log, or they are lost. */
        private void look(TopicPartition place, long offset, long seq) throws SQLException, Lost {
            long last = lastSeq(place.partition());
            if (seq <= last) {
                return;
            }
            if (!searched.containsKey(place)) {
                searched.putAll(consumer.endOffsets(List.of(place)));
            }
            if (offset + 1 >= searched.get(place)) {
                throw new Lost("seq " + (last + 1) + " of partition " + place.partition() + " is not in the log up to offset "
                        + offset + ", where seq " + seq + " is: the view usher.history has what is missing");
            }
        }

        private long lastSeq(int partition) throws SQLException {
            try (var statement = database.prepareStatement("select seq from followed where partition = ?")) {
                statement.setInt(1, partition);
                try (var rows = statement.executeQuery()) {
                    rows.next();
                    return rows.getLong(1);
                }
            }
        }

        void follow() throws Exception {
            resume();
            while (true) {
                try {
                    for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofSeconds(1))) {
                        take(record);
                    }
                } catch (Lost lost) {
                    database.commit(); // what came before
                    throw lost;
                }
                database.commit(); // the letters and how far they go: both are there, or neither
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        switch (arguments[0]) {
            case "ask" -> ask();
            case "follow" -> new Follower().follow();
            default -> throw new IllegalArgumentException(arguments[0]);
        }
    }
}
