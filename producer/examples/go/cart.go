// Sells carts over several resources, all or nothing. Why nothing is sold in half, whatever crashes, is explained in
// producer/docs/sell-across-resources.md.
//
//	service sell       first ends the carts that an earlier life of it left, then reads carts, one JSON object per line,
//	                   and prints what became of each: sold, not sold, refused; mixed, if the house intervened
//
//	{"cart": "basket-7", "customer": "c1", "lines": [
//	    {"resource": "show:hamlet", "items": [{"seats": ["A-1", "A-2"]}], "ttl_s": 600},
//	    {"resource": "hotel:grand", "booking": "web-1", "ttl_s": 600}]}
//
// A line with items is taken by a hold, one with a booking is held already and extended. Reads what the other commands
// read; SELLER, its name: the same after a restart, and no other live process's.
package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net"
	"os"
	"regexp"
	"sort"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lib/pq"
	"github.com/twmb/franz-go/pkg/kgo"
)

const (
	margin     = 2 * time.Second // by which the clocks of this machine, of Kafka's brokers and of PostgreSQL may differ
	openLimit  = 3 * time.Second // of a transaction
	fenceLimit = 10 * time.Second
	epochLimit = time.Second
	sellTries  = 2
)

// ---- the transaction: all confirms or none ----

// seller publishes confirms in one transaction, of one goroutine. Its name is the lock of its carts: a new life with the
// same name ends what an earlier one left open, and whatever that still sends is refused.
type seller struct {
	name    string
	client  *kgo.Client
	doubted *doubt
}

// doubt is set when a connection is lost: a request that was on its way may still arrive.
type doubt int32

func (d *doubt) OnBrokerDisconnect(kgo.BrokerMetadata, net.Conn) { atomic.StoreInt32((*int32)(d), 1) }

// fence begins a new epoch: the transaction that may be open is ended, requests that are still on their way are refused.
func (s *seller) fence(ctx context.Context) error {
	s.leave()
	s.doubted = new(doubt)
	client, err := kgo.NewClient(kgo.SeedBrokers(brokers...), kgo.DefaultProduceTopic(requests), kgo.WithHooks(s.doubted),
		kgo.TransactionalID("carts-"+s.name), kgo.TransactionTimeout(openLimit))
	if err != nil {
		return err
	}
	s.client = client
	// From Kafka, before anything is sent. While Kafka still ends the transaction before, franz-go has none yet.
	for deadline := time.Now().Add(fenceLimit); ; time.Sleep(20 * time.Millisecond) {
		if _, _, err = client.ProducerID(ctx); err == nil || time.Now().After(deadline) {
			break
		}
	}
	if err != nil {
		s.leave()
	}
	return err
}

func (s *seller) leave() {
	if s.client != nil {
		s.client.Close()
		s.client = nil
	}
}

// ready has an epoch without a doubt: a late commit of the one before would end the next transaction in its middle.
func (s *seller) ready(ctx context.Context) error {
	if s.client != nil && atomic.LoadInt32((*int32)(s.doubted)) == 0 {
		return nil
	}
	return s.fence(ctx)
}

// publish returns true: all are in Kafka, in time before the first hold's end; false: none. An error: all or none.
func (s *seller) publish(ctx context.Context, confirms []request, end time.Time) (inTime bool, err error) {
	began := time.Now()
	defer func() {
		if err != nil || time.Since(began) >= epochLimit {
			s.leave()
		}
	}()
	if err = s.client.BeginTransaction(); err != nil {
		return false, err
	}
	var failed error
	for _, confirm := range confirms {
		record := &kgo.Record{Key: []byte(confirm.resource()), Value: confirm.json()}
		s.client.Produce(ctx, record, func(_ *kgo.Record, err error) {
			if err != nil {
				failed = err
			}
		})
	}
	limited, cancel := context.WithTimeout(ctx, openLimit)
	defer cancel()
	if err = s.client.Flush(limited); err != nil {
		return false, err
	}
	// franz-go does not tell when Kafka appended a record. The time now, after the last acknowledgement, is later than that.
	inTime = failed == nil && time.Now().Add(margin).Before(end)
	if err = s.client.EndTransaction(ctx, kgo.TransactionEndTry(inTime)); err == nil {
		err = failed
	}
	return inTime, err
}

// ---- the journal: a restart repeats, with the same ids ----

const (
	journalSchema = `
		create table if not exists cart
			(id text primary key, seller text not null, content text not null, state text not null)`
	journalNote = "insert into cart values ($1, $2, $3, 'open') on conflict do nothing"
	journalRead = "select seller, content, state from cart where id = $1"
	journalMove = "update cart set state = $1 where id = $2 and state = any($3)"
	journalLeft = "select content from cart where seller = $1 and state = any($2)"
)

var (
	unfinished = []string{"open", "selling", "settling"}
	unsettled  = []string{"open", "selling"}
)

type journal struct {
	database *sql.DB
	seller   string
}

// note returns the cart as it was first noted, and its state. Its seller's name is noted with it: only that one ends it.
func (j journal) note(content []byte) (one cart, state string) {
	must(0, json.Unmarshal(content, &one))
	must(0, one.check())
	must(j.database.Exec(journalNote, one.Cart, j.seller, string(content)))
	var owner, first string
	must(0, j.database.QueryRow(journalRead, one.Cart).Scan(&owner, &first, &state))
	if owner != j.seller {
		log.Fatalf("%s is the cart of the seller %s", one.Cart, owner)
	}
	one = cart{}
	must(0, json.Unmarshal([]byte(first), &one))
	return one, state
}

// move returns false if another life of this seller was quicker: the cart is being settled, or has ended.
func (j journal) move(one cart, state string) bool {
	from := unfinished
	if state == "selling" {
		from = unsettled
	}
	return must(must(j.database.Exec(journalMove, state, one.Cart, pq.Array(from))).RowsAffected()) == 1
}

func (j journal) left() (contents []string) {
	rows := must(j.database.Query(journalLeft, j.seller, pq.Array(unfinished)))
	defer rows.Close()
	for rows.Next() {
		var content string
		must(0, rows.Scan(&content))
		contents = append(contents, content)
	}
	must(0, rows.Err())
	return contents
}

// ---- requests: every id comes from the cart's ----

type request map[string]any

func (r request) resource() string { return r["resource"].(string) }
func (r request) json() []byte     { return must(json.Marshal(r)) }

type cart struct {
	Cart     string    `json:"cart"`
	Customer string    `json:"customer"`
	Lines    []request `json:"lines"`
}

func (c cart) request(op string, number, attempt int, fields request) request {
	again := ""
	if attempt > 1 {
		again = fmt.Sprintf(".%d", attempt)
	}
	made := request{"request_id": fmt.Sprintf("%s.%c%d%s", c.Cart, op[0], number+1, again), "op": op, "customer": c.Customer}
	for _, more := range []request{{"resource": c.Lines[number].resource()}, fields} {
		for name, value := range more {
			made[name] = value
		}
	}
	return made
}

func (c cart) isHeld(number int) bool { return c.Lines[number]["booking"] != nil }

func (c cart) taking(number, attempt int) request {
	if c.isHeld(number) {
		return c.request("extend", number, 1, c.Lines[number])
	}
	made := c.request("hold", number, attempt, c.Lines[number])
	made["cart"] = c.Cart
	return made
}

// The ids of its requests begin with it.
var cartID = regexp.MustCompile(`^[A-Za-z0-9_.:-]{1,40}$`)

// check comes before the note, for a noted cart is begun again at each start.
func (c cart) check() error {
	if !cartID.MatchString(c.Cart) {
		return fmt.Errorf("%q is no id of a cart: these are 1 to 40 of A-Z a-z 0-9 _ . : -", c.Cart)
	}
	if len(c.Lines) == 0 {
		return fmt.Errorf("%s has no lines", c.Cart)
	}
	for number := range c.Lines {
		if _, err := placeOf(c.taking(number, 1).json()); err != nil {
			return err
		}
	}
	return nil
}

func (a answer) isTaken() bool { return a.Outcome == "held" || a.Outcome == "extended" }
func (a answer) isSold() bool  { return a.Outcome == "confirmed" || a.Reason == "already_confirmed" }

// pay is the turn of your payment provider. The cart's id is the idempotency key: a restart does not pay twice.
func pay(one cart) string { return "payment-of-" + one.Cart }

// ---- a cart, from its first hold to its end ----

// told is an answer and what was read of it.
type told struct {
	answer
	raw json.RawMessage
}

type till struct {
	journal journal
	seller  *seller
	desk    *desk
}

func (t till) one(ctx context.Context, asked request) told {
	raw := must(t.desk.ask(ctx, asked.json()))
	return told{read(&kgo.Record{Value: raw}), raw}
}

func (t till) ask(ctx context.Context, asked []request) []told {
	answers, all := make([]told, len(asked)), sync.WaitGroup{}
	for number := range asked {
		all.Add(1)
		go func(number int) {
			defer all.Done()
			answers[number] = t.one(ctx, asked[number])
		}(number)
	}
	all.Wait()
	return answers
}

// end prints what became of a cart, and the answers that say so. Told again, and after any crash, it comes to the same end.
func (t till) end(ctx context.Context, content []byte) {
	one, state := t.journal.note(content)
	answers := []told{}
	if state == "open" || state == "selling" || state == "settling" {
		state, answers = t.carryOn(ctx, one, state)
		t.journal.move(one, state)
	}
	raw := []json.RawMessage{}
	for _, answer := range answers {
		raw = append(raw, answer.raw)
	}
	fmt.Println(string(must(json.Marshal(map[string]any{"cart": one.Cart, "state": state, "answers": raw}))))
}

func (t till) carryOn(ctx context.Context, one cart, state string) (string, []told) {
	taken, attempt, refused := t.take(ctx, one)
	if len(refused) > 0 {
		return "refused", refused
	}
	end := must(time.Parse(time.RFC3339, taken[0].ExpiresAt))
	for _, answer := range taken {
		if other := must(time.Parse(time.RFC3339, answer.ExpiresAt)); other.Before(end) {
			end = other
		}
	}
	var answers []told
	if state != "settling" && time.Now().Add(margin).Before(end) {
		answers = t.sell(ctx, one, taken, end)
	}
	if answers == nil {
		answers = t.settle(ctx, one, taken, attempt)
	}
	sold := 0
	for _, answer := range answers {
		if answer.isSold() {
			sold++
		}
	}
	switch sold {
	case 0:
		return "not sold", answers
	case len(answers):
		return "sold", answers
	}
	return "mixed", answers
}

// take returns all lines or none: what each was answered, in which attempt, or the refusals.
func (t till) take(ctx context.Context, one cart) (taken []told, attempt int, refused []told) {
	asked, numbers, order, hopeless := []request{}, []int{}, []int{}, false
	for number := range one.Lines {
		asked, order = append(asked, one.taking(number, 1)), append(order, number)
	}
	taken = t.ask(ctx, asked)
	refusals := map[int]told{}
	for number, answer := range taken {
		if answer.isTaken() {
			numbers = append(numbers, number)
		} else {
			refusals[number], hopeless = answer, hopeless || !answer.Retryable
		}
	}
	if len(refusals) == 0 {
		return taken, 1, nil
	}
	t.giveBack(ctx, one, numbers, 1)
	if hopeless {
		return nil, 1, inOrder(refusals)
	}
	// Two carts may have taken the last units from each other. Line by line, in an order that all keep, one wins.
	sort.SliceStable(order, func(i, j int) bool {
		a, b := taken[order[i]], taken[order[j]]
		if a.Source.Partition != b.Source.Partition {
			return a.Source.Partition < b.Source.Partition
		}
		return a.Resource < b.Resource
	})
	again := make([]told, len(taken))
	for done, number := range order {
		again[number] = t.one(ctx, one.taking(number, 2))
		if !again[number].isTaken() {
			t.giveBack(ctx, one, order[:done], 2)
			refusals[number] = again[number]
			return nil, 2, inOrder(refusals)
		}
	}
	return again, 2, nil
}

func inOrder(answers map[int]told) (list []told) {
	for number := 0; len(list) < len(answers); number++ {
		if answer, is := answers[number]; is {
			list = append(list, answer)
		}
	}
	return list
}

// giveBack releases what it took itself: a booking that was held before stays.
func (t till) giveBack(ctx context.Context, one cart, numbers []int, attempt int) {
	var releases []request
	for _, number := range numbers {
		if !one.isHeld(number) {
			booking := one.taking(number, attempt)["request_id"]
			releases = append(releases, one.request("release", number, attempt, request{"booking": booking}))
		}
	}
	t.ask(ctx, releases)
}

// sell returns the answers to the confirms; nil: not sold in time, or nobody knows.
func (t till) sell(ctx context.Context, one cart, taken []told, end time.Time) []told {
	payment, confirms := pay(one), []request{}
	for number, answer := range taken {
		confirms = append(confirms, one.request("confirm", number, 1, request{"booking": answer.Booking, "payment": payment}))
	}
	for attempt := 0; attempt < sellTries; attempt++ {
		err := t.seller.ready(ctx)
		if err == nil {
			// After the new epoch, before the first confirm: if another life settles the cart, one of the two sees it.
			if !t.journal.move(one, "selling") {
				return nil
			}
			var inTime bool
			if inTime, err = t.seller.publish(ctx, confirms, end); err == nil && !inTime {
				return nil
			}
		}
		if err == nil {
			return t.ask(ctx, confirms) // each is in Kafka for good: a repeat brings its answer
		}
		log.Printf("%s: unknown whether it is sold: %v", one.Cart, err)
	}
	return nil
}

// settle: nothing can be sold behind a new epoch and a release. A release leaves what was sold: already_confirmed.
func (t till) settle(ctx context.Context, one cart, taken []told, attempt int) []told {
	t.journal.move(one, "settling")
	must(0, t.seller.fence(ctx))
	var releases []request
	for number, answer := range taken {
		releases = append(releases, one.request("release", number, attempt, request{"booking": answer.Booking}))
	}
	return t.ask(ctx, releases)
}

func sell(ctx context.Context) {
	database := must(sql.Open("postgres", os.Getenv("DATABASE")))
	must(database.Exec(journalSchema))
	name := os.Getenv("SELLER")
	if name == "" {
		must(0, errors.New("SELLER is not set"))
	}
	t := till{journal{database, name}, &seller{name: name}, newDesk(ctx)}
	left := t.journal.left()
	if len(left) > 0 { // what an earlier life left open is ended first: until then all requests wait, these too
		must(0, t.seller.fence(ctx))
	}
	for _, content := range left {
		t.end(ctx, []byte(content))
	}
	forEachLine(func(line []byte) { t.end(ctx, line) })
}
