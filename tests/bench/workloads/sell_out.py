"""More buyers than seats: all seats go, each once, refusals are exact, and a refusal is cheaper than a sale."""

import json
import random

from offer import check_books, hall, offer, write_requests
from run import expect

NAME = "sell-out"
HALLS, SEATS, REQUESTS = 5, 20_000, 100_000
RUSH_SEATS, RUSH_REQUESTS = 50_000, 1_000_000


# ---- 100,000 requests on 20,000 seats -----------------------------------------------------------------------------

def _parties(count):
    """Parties of one to four."""
    dice = random.Random(2)
    return [dice.randint(1, 4) for _ in range(count)]


def _judge(answers, parties, seats):
    """In the order of decisions: a party is refused if and only if fewer seats are free than it wants."""
    free, bookings = seats, 0
    for line in answers:
        answer = json.loads(line)
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


# When each half of the seats was sold, by the times of the batches.
HALVES = """
with sale as (
    select d.decided_at, ntile(2) over (order by d.seq) as half from usher.decision as d
      join usher.resource as r on r.no = d.resource_no where r.id = %s and d.outcome = 'held'
), times as (
    select min(decided_at) as begun, max(decided_at) filter (where half = 1) as middle, max(decided_at) as ended from sale
)
select extract(epoch from middle - begun)::float, extract(epoch from ended - middle)::float from times
"""


def _one_hall(instance, run, number):
    show, seats = f"show:sell-out-{number}", run.scaled(SEATS, 400)
    parties = _parties(run.scaled(REQUESTS, 2_000))
    instance.send([hall(show, seats)])
    requests = write_requests(instance, "parties", (
        {"op": "hold", "resource": show, "items": [{"section": "stalls", "quantity": size}]} for size in parties))
    answers = instance.scratch / "answers.jsonl"
    figures = offer(instance, requests=requests, count=len(parties), answers=answers)
    with open(answers, encoding="utf-8") as lines:
        bookings = _judge(lines, parties, seats)
    check_books(instance, show, seats, bookings)
    return figures["requests_per_s"], *instance.sql(HALVES, show)[0]


def _sell_out(instance, run):
    halls = [_one_hall(instance, run, number) for number in range(HALLS)]
    rates = sorted(rate for rate, _first, _second in halls)
    first, second = (sum(hall_[half] for hall_ in halls) for half in (1, 2))
    run.figure(NAME, "100,000 requests on 20,000 seats, parties of 1-4", rates[len(rates) // 2], "/s")
    if first and second:
        run.figure(NAME, "… the second half of the seats, as fast as the first", 100 * first / second, "%", at_least=90)


# ---- a rush: 1,000,000 requests on 50,000 seats -------------------------------------------------------------------

RUSH = """
select d.outcome, count(*), extract(epoch from max(d.decided_at) - min(d.decided_at))::float
  from usher.decision as d join usher.resource as r on r.no = d.resource_no
 where r.id = %s and d.outcome in ('held', 'refused') group by d.outcome
"""


def _rush(instance, run):
    show, seats, requests = "show:rush", run.scaled(RUSH_SEATS, 400) // 2 * 2, run.scaled(RUSH_REQUESTS, 4_000)
    instance.send([hall(show, seats)])
    figures = offer(instance, show, count=requests)
    expect("outcomes", figures["outcomes"], {"held": seats // 2, "refused": requests - seats // 2})
    expect("reasons", figures["reasons"], {"not_enough": requests - seats // 2})
    check_books(instance, show, seats, seats // 2)
    times = {outcome: count / max(seconds, 0.001) for outcome, count, seconds in instance.sql(RUSH, show)}
    run.figure(NAME, "a rush: 1,000,000 requests on 50,000 seats", figures["requests_per_s"], "/s")
    run.figure(NAME, "… refusals to sales, decided a second", times["refused"] / times["held"], "×", at_least=1)


def measure(instance, run):
    instance.send([hall("show:warm", 20_000)])
    offer(instance, "show:warm", count=run.scaled(20_000))  # the warm-up
    _sell_out(instance, run)
    _rush(instance, run)
