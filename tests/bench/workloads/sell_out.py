"""More buyers than seats: all seats go, each once, refusals are exact, and a refusal is cheaper than a sale."""

import bisect
import json
import random
import statistics

from offer import check_books, hall, offer, write_requests
from run import expect

NAME = "sell-out"
HALLS, SEATS, REQUESTS = 9, 20_000, 100_000
RUSH_SEATS, RUSH_REQUESTS = 50_000, 1_000_000

# Sold before each hall, in the same load: when a hall goes on sale, batches already follow each other.
BEFORE, BEFORE_REQUESTS = "show:before", 10_000


# ---- how fast -----------------------------------------------------------------------------------------------------

# One partition has all the decisions, and a batch has one time for all of its own: that at which it was begun.
BATCHES = """
select min(seq), extract(epoch from decided_at)::float from usher.decision where seq >= %s
 group by decided_at order by 1
"""


class Pace:
    """How fast decisions were made, sales and refusals alike: a batch lasts until the next one begins."""

    def __init__(self, instance, first_seq):
        self._batches = instance.sql(BATCHES, first_seq)

    def _time(self, seq):
        """Within a batch time goes evenly; after the start of the last one nothing is known."""
        at = min(bisect.bisect(self._batches, (seq, float("inf"))), len(self._batches) - 1)
        (from_seq, begun), (to_seq, ended) = self._batches[max(at - 1, 0)], self._batches[at]
        share = min((seq - from_seq) / (to_seq - from_seq), 1) if to_seq > from_seq else 0
        return begun + share * (ended - begun)

    def rate(self, seq, end):
        """Decisions a second from `seq` to `end`, which is not one of them."""
        end = min(end, self._batches[-1][0])
        return (end - seq) / max(self._time(end) - self._time(seq), 0.001)


# Decisions of a resource: the first sale, the one in their middle, the last one, the last decision.
SALES = """
select min(d.seq) filter (where d.outcome = 'held'),
       percentile_disc(0.5) within group (order by d.seq) filter (where d.outcome = 'held'),
       max(d.seq) filter (where d.outcome = 'held'), max(d.seq)
  from usher.decision as d join usher.resource as r on r.no = d.resource_no where r.id = %s
"""


# ---- 100,000 requests on 20,000 seats -----------------------------------------------------------------------------

def _parties(count):
    """Parties of one to four."""
    dice = random.Random(2)
    return [dice.randint(1, 4) for _ in range(count)]


def _judge(answers, show, parties, seats):
    """In the order of decisions: a party is refused if and only if fewer seats are free than it wants."""
    free, bookings = seats, 0
    for answer in map(json.loads, answers):
        if answer["resource"] != show:
            continue
        size = parties[int(answer["request_id"][-10:])]
        wanted = "held" if size <= free else "refused"
        expect(f"{answer['request_id']}: a party of {size} where {free} seats are free", answer["outcome"], wanted)
        if wanted == "held":
            free, bookings = free - size, bookings + 1
        else:
            expect(f"{answer['request_id']}: reason, free", (answer["reason"], answer["items"][0]["free"]),
                   ("not_enough", free))
    expect("seats left over", free, 0)
    return bookings


def _one_hall(instance, run, number):
    """Decisions a second: of all, and while each half of the sales was made. Refusals in between count as well."""
    show, seats, before = f"show:sell-out-{number}", run.scaled(SEATS, 400), run.scaled(BEFORE_REQUESTS)
    parties = [2] * before + _parties(run.scaled(REQUESTS, 2_000))
    instance.send([hall(show, seats)])
    requests = write_requests(instance, "parties", (
        {"op": "hold", "resource": BEFORE if number < before else show,
         "items": [{"section": "stalls", "quantity": size}]} for number, size in enumerate(parties)))
    answers = instance.scratch / "answers.jsonl"
    offer(instance, requests=requests, count=len(parties), answers=answers)
    with open(answers, encoding="utf-8") as lines:
        bookings = _judge(lines, show, parties, seats)
    check_books(instance, show, seats, bookings)
    first, middle, last, end = instance.sql(SALES, show)[0]
    pace = Pace(instance, first - before)
    return pace.rate(first, end + 1), pace.rate(first, middle + 1), pace.rate(middle + 1, last + 1)


def _sell_out(instance, run):
    instance.send([hall(BEFORE, HALLS * run.scaled(BEFORE_REQUESTS) * 2)])
    halls = [_one_hall(instance, run, number) for number in range(HALLS)]
    rate = statistics.median(rate for rate, _first, _second in halls)
    kept = statistics.median(second / first for _rate, first, second in halls if first)
    run.figure(NAME, "100,000 requests on 20,000 seats, parties of 1-4", rate, "/s")
    run.figure(NAME, "… decided a second while the second half sells, to the first", 100 * kept, "%", at_least=90)


# ---- a rush: 1,000,000 requests on 50,000 seats -------------------------------------------------------------------

def _rush(instance, run):
    show, seats, requests = "show:rush", run.scaled(RUSH_SEATS, 400) // 2 * 2, run.scaled(RUSH_REQUESTS, 4_000)
    instance.send([hall(show, seats)])
    figures = offer(instance, show, count=requests)
    expect("outcomes", figures["outcomes"], {"held": seats // 2, "refused": requests - seats // 2})
    expect("reasons", figures["reasons"], {"not_enough": requests - seats // 2})
    check_books(instance, show, seats, seats // 2)
    first, middle, last, _end = instance.sql(SALES, show)[0]
    pace, sales = Pace(instance, first), last - middle
    run.figure(NAME, "a rush: 1,000,000 requests on 50,000 seats", figures["requests_per_s"], "/s")
    run.figure(NAME, "… refusals to sales, decided a second around the last sale",
               pace.rate(last + 1, last + 1 + sales) / pace.rate(middle + 1, last + 1), "×", at_least=1)


def measure(instance, run):
    instance.send([hall("show:warm", 20_000)])
    offer(instance, "show:warm", count=run.scaled(20_000))  # the warm-up
    _sell_out(instance, run)
    _rush(instance, run)
