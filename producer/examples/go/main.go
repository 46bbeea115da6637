// A service that sells through usher, complete. Needs what go.mod names. What it does and why is explained in
// producer/docs/write-a-service.md.
//
//	service ask        reads requests, one JSON object per line, and prints their answers
//	service follow     writes each customer's letters into its own database, for each answer exactly once
//	service sell       sells carts over several resources: cart.go
//
// Reads USHER_KAFKA_BROKERS and USHER_TOPIC_PREFIX as all of usher does; DATABASE, a PostgreSQL URI; ANSWER_TIMEOUT in
// seconds and ANSWER_TRIES.
package main

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	_ "github.com/lib/pq"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

var (
	brokers  = strings.Split(setting("USHER_KAFKA_BROKERS", "localhost:9092"), ",")
	prefix   = setting("USHER_TOPIC_PREFIX", "booking")
	requests = prefix + ".requests.v1"
	results  = prefix + ".results.v1"
	timeout  = time.Duration(must(strconv.ParseFloat(setting("ANSWER_TIMEOUT", "5"), 64)) * float64(time.Second))
	tries    = must(strconv.Atoi(setting("ANSWER_TRIES", "5")))
)

func setting(name, otherwise string) string {
	if value, given := os.LookupEnv(name); given {
		return value
	}
	return otherwise
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err) // to be started again: everything that counts is stored
	}
	return value
}

type units []struct {
	Booking string `json:"booking"`
}

type answer struct {
	RequestID string `json:"request_id"`
	Resource  string `json:"resource"`
	Customer  string `json:"customer"`
	Booking   string `json:"booking"`
	Outcome   string `json:"outcome"`
	Reason    string `json:"reason"`
	ExpiresAt string `json:"expires_at"`
	Seq       int64  `json:"seq"`
	Unasked   bool   `json:"unasked"`
	Replayed  bool   `json:"replayed"`
	Retryable bool   `json:"retryable"`
	Source    source `json:"source"`
	Units     units  `json:"units"`
	Returned  units  `json:"returned"`
}

// first and end are the offsets that each partition of the answers has now.
func first(ctx context.Context) kadm.ListedOffsets { return list(ctx, (*kadm.Client).ListStartOffsets) }
func end(ctx context.Context) kadm.ListedOffsets   { return list(ctx, (*kadm.Client).ListEndOffsets) }

type lister func(*kadm.Client, context.Context, ...string) (kadm.ListedOffsets, error)

func list(ctx context.Context, offsets lister) kadm.ListedOffsets {
	client := must(kgo.NewClient(kgo.SeedBrokers(brokers...)))
	defer client.Close()
	listed := must(offsets(kadm.NewClient(client), ctx, results))
	must(0, listed.Error())
	return listed
}

// connect reads the partitions that it is told to, from the offsets that it is told: never from a guess of its own.
// franz-go's own partitioner is the right one, and idempotence its default.
func connect(from kadm.ListedOffsets) *kgo.Client {
	return must(kgo.NewClient(kgo.SeedBrokers(brokers...), kgo.DefaultProduceTopic(requests),
		kgo.ConsumePartitions(from.KOffsets()), kgo.ConsumeResetOffset(kgo.NoResetOffset())))
}

// poll returns what has come. An error, such as that records were deleted before they were read, is final.
func poll(ctx context.Context, client *kgo.Client) []*kgo.Record {
	fetches := client.PollFetches(ctx)
	for _, failed := range fetches.Errors() {
		log.Fatalf("%s partition %d: %v", failed.Topic, failed.Partition, failed.Err)
	}
	return fetches.Records()
}

func read(record *kgo.Record) (one answer) {
	must(0, json.Unmarshal(record.Value, &one))
	return one
}

// ---- asking: publish a request, find its answer ----

// An answer is found by resource and request id: ids belong to their resource.
type place struct {
	Resource  string `json:"resource"`
	RequestID string `json:"request_id"`
}

var id = regexp.MustCompile(`^[A-Za-z0-9_.:-]{1,64}$`)

// placeOf is where the answer is found. An id that usher cannot read would come back as null, and nobody would find it.
func placeOf(request []byte) (at place, err error) {
	if err = json.Unmarshal(request, &at); err == nil && !(id.MatchString(at.Resource) && id.MatchString(at.RequestID)) {
		err = fmt.Errorf("%q: resource and request_id must be 1 to 64 of A-Z a-z 0-9 _ . : -", at)
	}
	return at, err
}

// source is where a request stands. Of what usher cannot read (half an emoji, a number of 400 digits) the answer may lack
// its id: one that is invalid is found by its source, which the delivery report of the request named.
type source struct {
	Partition int32 `json:"partition"`
	Offset    int64 `json:"offset"`
}

// halves are of one source; either may come first.
type halves struct {
	asked  chan []byte
	answer []byte
}

const sourcesKept = 10_000

// desk asks for any number of goroutines. Of those that ask the same, who came first is answered first.
type desk struct {
	client  *kgo.Client
	lock    sync.Mutex
	waiting map[place][]chan []byte
	sources map[source]halves
	order   []source // of sources, the oldest first
}

func newDesk(ctx context.Context) *desk {
	// From the ends as they are before anything is sent: the answers come after them.
	d := &desk{client: connect(end(ctx)), waiting: map[place][]chan []byte{}, sources: map[source]halves{}}
	go func() {
		for {
			for _, record := range poll(ctx, d.client) {
				d.handOver(record, read(record))
			}
		}
	}()
	return d
}

func (d *desk) handOver(record *kgo.Record, one answer) {
	if one.Unasked { // these bear the id of the request that made the booking
		return
	}
	if one.Outcome == "invalid" {
		d.meet(one.Source, func(both *halves) { both.answer = record.Value })
		return
	}
	if first := d.leave(place{one.Resource, one.RequestID}, nil); first != nil {
		settle(first, record.Value)
	}
}

func settle(waiting chan []byte, answer []byte) {
	select {
	case waiting <- answer:
	default: // it has one already
	}
}

func (d *desk) meet(at source, set func(*halves)) {
	d.lock.Lock()
	defer d.lock.Unlock()
	both, known := d.sources[at]
	set(&both)
	d.sources[at] = both
	if both.asked != nil && both.answer != nil {
		settle(both.asked, both.answer)
	}
	if !known {
		d.order = append(d.order, at)
	}
	if len(d.order) > sourcesKept {
		delete(d.sources, d.order[0])
		d.order = d.order[1:]
	}
}

func (d *desk) join(at place) chan []byte {
	d.lock.Lock()
	defer d.lock.Unlock()
	waiting := make(chan []byte, 1)
	d.waiting[at] = append(d.waiting[at], waiting)
	return waiting
}

// leave takes one out of those that wait, or the first of them, and returns it; the others wait on.
func (d *desk) leave(at place, one chan []byte) chan []byte {
	d.lock.Lock()
	defer d.lock.Unlock()
	for i, waiting := range d.waiting[at] {
		if one == nil || waiting == one {
			d.waiting[at] = append(d.waiting[at][:i], d.waiting[at][i+1:]...)
			if len(d.waiting[at]) == 0 {
				delete(d.waiting, at)
			}
			return waiting
		}
	}
	return nil
}

// ask returns the answer. Without one in time the request is repeated with its id: whatever became of the first try,
// it has one effect. What is no request is an error, and not published.
func (d *desk) ask(ctx context.Context, request []byte) ([]byte, error) {
	at, err := placeOf(request)
	if err != nil {
		return nil, err
	}
	waiting := d.join(at)
	defer d.leave(at, waiting)
	for attempt := 0; attempt < tries; attempt++ {
		d.client.Produce(ctx, &kgo.Record{Key: []byte(at.Resource), Value: request}, func(sent *kgo.Record, err error) {
			if err == nil {
				d.meet(source{sent.Partition, sent.Offset}, func(both *halves) { both.asked = waiting })
			}
		})
		select {
		case answer := <-waiting:
			return answer, nil
		case <-time.After(timeout):
			log.Printf("no answer to %v within %v: repeating it", at, timeout)
		}
	}
	return nil, fmt.Errorf("no answer to %v: it may still be decided; ask again with the same id", at)
}

// forEachLine ends at the first that is wrong: what is logged begins with its number.
func forEachLine(work func(line []byte)) {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20) // a define is at most that long
	for number := 1; lines.Scan(); number++ {
		log.SetPrefix(fmt.Sprintf("in line %d: ", number))
		work([]byte(lines.Text()))
	}
	must(0, lines.Err())
}

func ask(ctx context.Context) {
	d := newDesk(ctx)
	forEachLine(func(line []byte) { fmt.Println(string(must(d.ask(ctx, line)))) })
}

// ---- following: every answer once, whatever crashes ----

const schema = `
	create table if not exists followed (partition int primary key, seq bigint not null, next_offset bigint not null);
	create table if not exists letter (id bigserial, customer text not null, words text not null)`

// accept touches a row if the answer is the next of its partition, or the first ever. Locks it, too: of two instances
// that have the same answer, one is the first.
const accept = `
	insert into followed values ($1, $2, $3 + 1)
	on conflict (partition) do update set seq = excluded.seq, next_offset = excluded.next_offset
	where followed.seq = excluded.seq - 1`

// bookings are what it is about. Where a cart was confirmed or cancelled, its units name the bookings that they are of.
func bookings(one answer) (names []string) {
	if one.Booking != "" {
		return []string{one.Booking}
	}
	groups, seen := one.Units, map[string]bool{"": true}
	if len(groups) == 0 {
		groups = one.Returned
	}
	for _, group := range groups {
		if !seen[group.Booking] {
			seen[group.Booking] = true
			names = append(names, group.Booking)
		}
	}
	return names
}

// words is what the customer is told of one booking; empty: nothing. A repeated answer was told before.
func words(one answer, booking string) string {
	name := booking + " of " + one.Resource
	switch {
	case one.Replayed:
		return ""
	case one.Outcome == "held" && one.Unasked:
		return "Your turn: " + name + " is held for you until " + one.ExpiresAt + "."
	case one.Outcome == "confirmed":
		return "Your booking " + name + " is yours."
	case one.Outcome == "expired":
		return "Your seats " + name + " were not paid in time."
	case one.Outcome == "cancelled":
		return "Your booking " + name + " is cancelled."
	}
	return ""
}

// searched has, for each partition where a seq was too high, the end of its log when that was first seen.
type searched map[int32]int64

// take returns an error if answers are not in the log: the view usher.history has them.
func (s searched) take(ctx context.Context, transaction *sql.Tx, record *kgo.Record, one answer) error {
	done := must(transaction.Exec(accept, record.Partition, one.Seq, record.Offset))
	if must(done.RowsAffected()) == 0 {
		return s.look(ctx, transaction, record, one.Seq)
	}
	delete(s, record.Partition)
	for _, booking := range bookings(one) {
		if text := words(one, booking); text != "" {
			must(transaction.Exec("insert into letter (customer, words) values ($1, $2)", one.Customer, text))
		}
	}
	return nil
}

// look is at what was not accepted. A low seq was before. A high one: those before it follow in the log, or they are lost.
func (s searched) look(ctx context.Context, transaction *sql.Tx, record *kgo.Record, seq int64) error {
	var last int64
	must(0, transaction.QueryRow("select seq from followed where partition = $1", record.Partition).Scan(&last))
	if seq <= last {
		return nil
	}
	if _, known := s[record.Partition]; !known {
		s[record.Partition] = end(ctx)[results][record.Partition].Offset
	}
	if record.Offset+1 < s[record.Partition] {
		return nil
	}
	return fmt.Errorf("seq %d of partition %d is not in the log up to offset %d, where seq %d is: the view usher.history has what is missing",
		last+1, record.Partition, record.Offset, seq)
}

// resume is where each partition goes on: behind what is stored, else at the first answer that is kept.
func resume(ctx context.Context, database *sql.DB) kadm.ListedOffsets {
	from := first(ctx)
	rows := must(database.Query("select partition, next_offset from followed"))
	defer rows.Close()
	for rows.Next() {
		var partition int32
		var offset int64
		must(0, rows.Scan(&partition, &offset))
		if begins := from[results][partition].Offset; offset < begins {
			log.Fatalf("partition %d goes on at offset %d, but its log begins at %d: retention deleted answers, which the view usher.history has",
				partition, offset, begins)
		}
		from[results][partition] = kadm.ListedOffset{Topic: results, Partition: partition, Offset: offset, LeaderEpoch: -1}
	}
	must(0, rows.Err())
	return from
}

func follow(ctx context.Context) {
	database := must(sql.Open("postgres", os.Getenv("DATABASE")))
	must(database.Exec(schema))
	client, ends := connect(resume(ctx, database)), searched{}
	for {
		records := poll(ctx, client)
		// One transaction has the letters and how far they go: both are there, or neither.
		transaction := must(database.Begin())
		var lost error
		for i := 0; lost == nil && i < len(records); i++ {
			lost = ends.take(ctx, transaction, records[i], read(records[i]))
		}
		must(0, transaction.Commit()) // where answers are lost: what came before
		must(0, lost)
	}
}

func main() {
	map[string]func(context.Context){"ask": ask, "follow": follow, "sell": sell}[os.Args[1]](context.Background())
}
