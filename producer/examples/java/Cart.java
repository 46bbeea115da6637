import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Sells carts over several resources, all or nothing. Why nothing is sold in half, whatever crashes, is explained in
 * producer/docs/sell-across-resources.md.
 *
 * <pre>
 *   java Cart        first ends the carts that an earlier life of it left, then reads carts, one JSON object per line, and
 *                    prints what became of each: sold, not sold, refused; mixed, if the house intervened
 *
 *   {"cart": "basket-7", "customer": "c1", "lines": [
 *       {"resource": "show:hamlet", "items": [{"seats": ["A-1", "A-2"]}], "ttl_s": 600},
 *       {"resource": "hotel:grand", "booking": "web-1", "ttl_s": 600}]}
 * </pre>
 *
 * A line with items is taken by a hold, one with a booking is held already and extended. Reads what Service reads;
 * DATABASE, a JDBC URL, for its journal; SELLER, its name: the same after a restart, and no other live process's.
 */
public final class Cart {
    static final long MARGIN_MS = 2000; // by which the clocks of Kafka's brokers and of PostgreSQL may differ
    static final int TRIES = 2;
    static final Pattern ID = Pattern.compile("[A-Za-z0-9_.:-]{1,40}"); // the ids of its requests begin with it

    // ---- the transaction: all confirms or none ---------------------------------------------------------------

    /**
     * Publishes confirms in one transaction, of one thread. Its name is the lock of its carts: a new life with the same
     * name ends what an earlier one left open, and whatever that still sends is refused.
     */
    static final class Seller {
        // Where a topic keeps the time of its producer instead of its own, that of every confirm is too late.
        static final long NEVER_MS = Instant.parse("9999-01-01T00:00:00Z").toEpochMilli();

        private final Map<String, Object> settings;
        private KafkaProducer<String, String> producer;

        Seller(String name) {
            settings = Map.of("bootstrap.servers", Service.BROKERS, "transactional.id", "carts-" + name,
                    "transaction.timeout.ms", 3000, "delivery.timeout.ms", 3000, "request.timeout.ms", 3000,
                    "max.block.ms", 10_000, "linger.ms", 0);
        }

        /** A new epoch: the transaction that may be open is ended, requests that are on their way are refused. */
        void fence() {
            leave();
            producer = new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer());
            producer.initTransactions();
        }

        /** The client has a new epoch with each transaction, from 4.0 on, as brokers have: it needs one after errors. */
        void ready() {
            if (producer == null) {
                fence();
            }
        }

        private void leave() {
            if (producer != null) {
                producer.close(Duration.ZERO);
                producer = null;
            }
        }

        /** True: all are in Kafka, each appended in time before its hold's end. False: none. Exception: all or none. */
        boolean publish(List<ObjectNode> confirms, List<Instant> ends) throws Exception {
            try {
                producer.beginTransaction();
                List<Future<RecordMetadata>> sent = new ArrayList<>();
                for (ObjectNode confirm : confirms) {
                    sent.add(producer.send(new ProducerRecord<>(
                            Service.REQUESTS, null, NEVER_MS, confirm.get("resource").asText(), confirm.toString())));
                }
                producer.flush(); // only now is every time of append known: the look comes after the last one
                boolean inTime = true;
                for (int i = 0; i < sent.size(); i++) {
                    inTime &= sent.get(i).get().timestamp() + MARGIN_MS < ends.get(i).toEpochMilli();
                }
                if (inTime) {
                    producer.commitTransaction();
                } else {
                    producer.abortTransaction();
                }
                return inTime;
            } catch (KafkaException | ExecutionException unknown) {
                leave();
                throw unknown;
            }
        }
    }

    // ---- the journal: a restart repeats, with the same ids -----------------------------------------------------

    static final class Journal {
        static final String SCHEMA = """
                create table if not exists cart
                    (id text primary key, seller text not null, content text not null, state text not null)
                """;
        static final String NOTE = "insert into cart values (?, ?, ?, 'open') on conflict do nothing";
        static final String READ = "select seller, content, state from cart where id = ?";
        static final String MOVE = "update cart set state = ? where id = ? and state = any(?)";
        static final String LEFT = "select content from cart where seller = ? and state = any(?)";
        static final List<String> UNFINISHED = List.of("open", "selling", "settling");
        static final List<String> UNSETTLED = List.of("open", "selling");

        record Noted(JsonNode cart, String state) {}

        private final Connection database;
        private final String seller;

        Journal(String seller) throws SQLException {
            this.seller = seller;
            database = DriverManager.getConnection(System.getenv("DATABASE"));
            Service.update(database, SCHEMA);
        }

        /** The cart as it was first noted, and its state. Its seller's name is noted, too: only that one ends it. */
        Noted note(JsonNode cart) throws Exception {
            Service.update(database, NOTE, id(cart), seller, cart.toString());
            try (PreparedStatement statement = prepared(READ, id(cart)); ResultSet row = statement.executeQuery()) {
                row.next();
                if (!row.getString(1).equals(seller)) {
                    throw new IllegalArgumentException(id(cart) + " is the cart of the seller " + row.getString(1));
                }
                return new Noted(Service.JSON.readTree(row.getString(2)), row.getString(3));
            }
        }

        /** False: another life of this seller was quicker: the cart is being settled, or has ended. */
        boolean move(JsonNode cart, String state) throws SQLException {
            return Service.update(database, MOVE, state, id(cart),
                    array(state.equals("selling") ? UNSETTLED : UNFINISHED)) == 1;
        }

        List<JsonNode> left() throws Exception {
            List<JsonNode> carts = new ArrayList<>();
            try (PreparedStatement statement = prepared(LEFT, seller, array(UNFINISHED));
                    ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    carts.add(Service.JSON.readTree(rows.getString(1)));
                }
            }
            return carts;
        }

        private PreparedStatement prepared(String sql, Object... values) throws SQLException {
            PreparedStatement statement = database.prepareStatement(sql);
            for (int i = 0; i < values.length; i++) {
                statement.setObject(i + 1, values[i]);
            }
            return statement;
        }

        private Object array(List<String> states) throws SQLException {
            return database.createArrayOf("text", states.toArray());
        }
    }

    // ---- requests: every id comes from the cart's --------------------------------------------------------------

    static String id(JsonNode cart) {
        return cart.get("cart").asText();
    }

    static JsonNode line(JsonNode cart, int number) {
        return cart.get("lines").get(number);
    }

    static ObjectNode request(JsonNode cart, String op, int number, int attempt) {
        String again = attempt == 1 ? "" : "." + attempt;
        ObjectNode request = Service.JSON.createObjectNode();
        request.put("request_id", id(cart) + "." + op.charAt(0) + (number + 1) + again);
        request.put("op", op).set("customer", cart.get("customer"));
        return request.set("resource", line(cart, number).get("resource"));
    }

    static ObjectNode taking(JsonNode cart, int number, int attempt) {
        boolean isHeld = line(cart, number).has("booking");
        ObjectNode request = isHeld ? request(cart, "extend", number, 1) : request(cart, "hold", number, attempt);
        if (!isHeld) {
            request.set("cart", cart.get("cart"));
        }
        return request.setAll((ObjectNode) line(cart, number));
    }

    static ObjectNode release(JsonNode cart, int number, int attempt, JsonNode booking) {
        return request(cart, "release", number, attempt).set("booking", booking);
    }

    /** Before it is noted, for a noted cart is begun again at each start. */
    static void check(JsonNode cart) {
        String id = cart.path("cart").textValue();
        if (id == null || !ID.matcher(id).matches()) {
            throw new IllegalArgumentException(id + " is no id of a cart: these are 1 to 40 of A-Z a-z 0-9 _ . : -");
        }
        if (cart.path("lines").isEmpty()) {
            throw new IllegalArgumentException(id + " has no lines");
        }
        for (int number = 0; number < cart.get("lines").size(); number++) {
            Service.Desk.placeOf(taking(cart, number, 1));
        }
    }

    static boolean isTaken(JsonNode answer) {
        return answer.path("outcome").asText().equals("held") || answer.path("outcome").asText().equals("extended");
    }

    static boolean isSold(JsonNode answer) {
        return answer.path("outcome").asText().equals("confirmed")
                || answer.path("reason").asText().equals("already_confirmed");
    }

    /** The turn of your payment provider. The cart's id is the idempotency key: a restart does not pay twice. */
    static String pay(JsonNode cart) {
        return "payment-of-" + id(cart);
    }

    // ---- a cart, from its first hold to its end ----------------------------------------------------------------

    /** What the lines of a cart were answered, and in which attempt; or the refusals. */
    record Taken(List<JsonNode> answers, int attempt, Collection<JsonNode> refused) {}

    private final Service.Desk desk = new Service.Desk();
    private final ExecutorService threads = Executors.newCachedThreadPool(work -> {
        Thread thread = new Thread(work);
        thread.setDaemon(true);
        return thread;
    });
    private final Journal journal;
    private final Seller seller;

    private Cart(String name) throws SQLException {
        journal = new Journal(name);
        seller = new Seller(name);
    }

    private List<JsonNode> ask(List<ObjectNode> requests) throws Exception {
        List<Future<JsonNode>> futures = new ArrayList<>();
        for (ObjectNode request : requests) {
            futures.add(threads.submit(() -> desk.ask(request)));
        }
        List<JsonNode> answers = new ArrayList<>();
        for (Future<JsonNode> future : futures) {
            answers.add(future.get());
        }
        return answers;
    }

    /** Prints what became of a cart, and why. Told again, and after any crash, it comes to the same end. */
    private void end(JsonNode told) throws Exception {
        check(told);
        Journal.Noted noted = journal.note(told);
        String state = noted.state;
        Collection<JsonNode> answers = List.of();
        if (Journal.UNFINISHED.contains(state)) {
            Taken taken = take(noted.cart);
            answers = taken.refused.isEmpty() ? finish(noted, taken) : taken.refused;
            long sold = answers.stream().filter(Cart::isSold).count();
            state = !taken.refused.isEmpty() ? "refused"
                    : sold == 0 ? "not sold" : sold == answers.size() ? "sold" : "mixed";
            journal.move(noted.cart, state);
        }
        ObjectNode result = Service.JSON.createObjectNode().put("cart", id(noted.cart)).put("state", state);
        result.putArray("answers").addAll(answers);
        System.out.println(result);
    }

    private List<JsonNode> finish(Journal.Noted noted, Taken taken) throws Exception {
        List<Instant> ends = taken.answers.stream().map(answer -> Instant.parse(answer.get("expires_at").asText())).toList();
        List<JsonNode> answers = null;
        if (!noted.state.equals("settling") && Instant.now().plusMillis(MARGIN_MS).isBefore(Collections.min(ends))) {
            answers = sell(noted.cart, taken.answers, ends);
        }
        return answers != null ? answers : settle(noted.cart, taken);
    }

    /** All lines or none. */
    private Taken take(JsonNode cart) throws Exception {
        List<Integer> numbers = IntStream.range(0, cart.get("lines").size()).boxed().toList();
        List<JsonNode> answers = ask(numbers.stream().map(number -> taking(cart, number, 1)).toList());
        TreeMap<Integer, JsonNode> refused = new TreeMap<>();
        numbers.stream().filter(n -> !isTaken(answers.get(n))).forEach(n -> refused.put(n, answers.get(n)));
        if (refused.isEmpty()) {
            return new Taken(answers, 1, List.of());
        }
        giveBack(cart, numbers.stream().filter(number -> !refused.containsKey(number)).toList(), 1);
        if (!refused.values().stream().allMatch(answer -> answer.path("retryable").asBoolean())) {
            return new Taken(List.of(), 1, refused.values());
        }
        // Two carts may have taken the last units from each other. Line by line, in an order that all keep, one wins.
        Comparator<Integer> byPartition = Comparator.comparing(n -> answers.get(n).get("source").get("partition").asInt());
        TreeMap<Integer, JsonNode> again = new TreeMap<>();
        for (int number : numbers.stream()
                .sorted(byPartition.thenComparing(n -> line(cart, n).get("resource").asText())).toList()) {
            JsonNode answer = desk.ask(taking(cart, number, 2));
            if (!isTaken(answer)) {
                giveBack(cart, again.keySet(), 2);
                refused.put(number, answer);
                return new Taken(List.of(), 2, refused.values());
            }
            again.put(number, answer);
        }
        return new Taken(List.copyOf(again.values()), 2, List.of());
    }

    /** What it took itself: a booking that was held before stays. */
    private void giveBack(JsonNode cart, Collection<Integer> numbers, int attempt) throws Exception {
        ask(numbers.stream().filter(number -> !line(cart, number).has("booking"))
                .map(number -> release(cart, number, attempt, taking(cart, number, attempt).get("request_id"))).toList());
    }

    /** The answers to the confirms; null: not sold in time, or nobody knows. */
    private List<JsonNode> sell(JsonNode cart, List<JsonNode> taken, List<Instant> ends) throws Exception {
        String payment = pay(cart);
        List<ObjectNode> confirms = new ArrayList<>();
        for (int number = 0; number < taken.size(); number++) {
            ObjectNode confirm = request(cart, "confirm", number, 1).put("payment", payment);
            confirms.add(confirm.set("booking", taken.get(number).get("booking")));
        }
        for (int attempt = 0; attempt < TRIES; attempt++) {
            try {
                seller.ready();
                // After the new epoch, before the first confirm: if another life settles the cart, one of the two sees it.
                if (!journal.move(cart, "selling") || !seller.publish(confirms, ends)) {
                    return null;
                }
            } catch (KafkaException | ExecutionException error) {
                System.err.println(id(cart) + ": unknown whether it is sold: " + error);
                continue;
            }
            return ask(confirms); // each is in Kafka for good: a repeat brings its answer
        }
        return null;
    }

    /** Nothing can be sold behind a new epoch and a release. A release leaves what was sold: already_confirmed. */
    private List<JsonNode> settle(JsonNode cart, Taken taken) throws Exception {
        journal.move(cart, "settling");
        seller.fence();
        List<ObjectNode> releases = new ArrayList<>();
        for (JsonNode answer : taken.answers) {
            releases.add(release(cart, releases.size(), taken.attempt, answer.get("booking")));
        }
        return ask(releases);
    }

    public static void main(String[] arguments) throws Exception {
        Cart till = new Cart(System.getenv("SELLER"));
        List<JsonNode> left = till.journal.left();
        if (!left.isEmpty()) { // what an earlier life left open is ended first: until then all requests wait, these too
            till.seller.fence();
        }
        for (JsonNode cart : left) {
            till.end(cart);
        }
        Service.forEachLine(till::end);
        System.exit(0);
    }
}
