"""
A sale of 20,000 seats while 100,000 parties wait on the same show, compared with the same sale with nobody waiting. The sale
itself gives nobody on the list a seat; released holds cause the list to be searched, again and again.
"""

import itertools
import statistics

from offer import all_confirmed, all_held, offer, write_requests
from run import expect

NAME = "waiting list"
ALONE, BESIDE = "nobody waits", "100,000 parties wait, of twelve kinds"
RUNS = 3
SEATS, PARTIES, FULL_SEATS, ROW = 20_000, 100_000, 1_000, 50
RATE = 2_000  # holds a second, each confirmed as soon as it is answered
UNTIL = "2099-01-01T00:00:00Z"


# ---- the shows ----------------------------------------------------------------------------------------------------

def _section(name, seats):
    return {"section": name, "price": 4500,
            "rows": [{"row": f"{name}-{n}", "seats": ROW} for n in range(seats // ROW)]}


def _define(instance, show, seats):
    """A section that is full at once, for which the parties wait, and those that are then sold."""
    sales = [_section(f"sale-{n}", seats) for n in range(RUNS + 3)]
    instance.send([{"request_id": f"def-{show}", "op": "define", "resource": show, "state": "open", "currency": "GBP",
                    "sections": [_section("full", FULL_SEATS), *sales]}])
    all_held(offer(instance, show, item={"section": "full", "quantity": 2}, count=FULL_SEATS // 2))


def _common_wishes(parties):
    """Parties of one to six, together or not: twelve kinds."""
    kinds = [[{"section": "full", "quantity": size, **({"together": True} if together else {})}]
             for size in range(1, 7) for together in (False, True)]
    return itertools.islice(itertools.cycle(kinds), parties)


def _own_wishes(parties):
    """Each wants two seats that nobody else wants together."""
    seats = [f"full-{n}-{seat}" for n in range(FULL_SEATS // ROW) for seat in range(1, ROW + 1)]
    pairs = itertools.islice(itertools.combinations(seats, 2), parties)
    return ([{"seats": list(pair)}] for pair in pairs)


def _wait(instance, show, wishes, parties):
    requests = ({"op": "hold", "resource": show, "wait_until": UNTIL, "items": wish} for wish in wishes)
    figures = offer(instance, requests=write_requests(instance, "parties", requests), count=parties)
    expect("parties that wait", figures["outcomes"], {"waiting": parties})


# ---- the sale -----------------------------------------------------------------------------------------------------

def _item(sale):
    return {"section": f"sale-{sale}", "quantity": 2}


def _sell(instance, show, sale, seats, **load):
    """One section, in pairs that are confirmed at once."""
    return all_confirmed(offer(instance, show, item=_item(sale), count=seats // 2, then="confirm", **load))


def _give_back(instance, show, count):
    """Holds that are released at once, by 100 buyers: how many a second. The last section is for them."""
    figures = all_held(offer(instance, show, item=_item(RUNS + 2), count=count, then="release", in_flight=100))
    expect("outcomes of the releases", figures["then"]["outcomes"], {"released": count})
    return figures["sent"] / figures["seconds"]


def _books(instance, show, seats, parties):
    sold = instance.sql(
        "select p.name, count(*), count(distinct a.unit) from usher.resource as r"
        "  join usher.pool as p on p.resource_no = r.no join usher.allocation as a on a.pool = p.no"
        " where r.id = %s group by p.name order by p.name", show)
    expect(f"{show}: seats sold by section", sold,
           [("full", FULL_SEATS, FULL_SEATS), *((f"sale-{n}", seats, seats) for n in range(RUNS + 2))])
    waiting = instance.sql("select count(*) from usher.booking as b join usher.resource as r on r.no = b.resource_no"
                           " where r.id = %s and b.state = 'waiting'", show)[0][0]
    expect(f"{show}: parties that still wait", waiting, parties)


def measure(instance, run):
    seats, parties = run.scaled(SEATS, 200) // 100 * 100, run.scaled(PARTIES, 100)
    nobody, crowd = "show:nobody-waits", "show:crowd-waits"
    for show in (nobody, crowd):
        _define(instance, show, seats)
    _wait(instance, crowd, _common_wishes(12), parties)
    for show in (nobody, crowd):  # the warm-up
        _sell(instance, show, 0, seats)
    full = {nobody: [], crowd: []}
    for sale in range(1, 1 + RUNS):
        for show, rates in full.items():
            figures = _sell(instance, show, sale, seats)
            rates.append(figures["sent"] / figures["seconds"])
    calm = [_sell(instance, show, RUNS + 1, seats, rate=run.scaled(RATE, 50))["then"]["together_ms"]
            for show in (nobody, crowd)]
    _note_sale(run, *(statistics.median(rates) for rates in full.values()), *calm)
    _measure_returns(instance, run, seats, parties)
    _books(instance, nobody, seats, 0)
    _books(instance, crowd, seats, parties)


def _note_sale(run, alone, beside, calm_alone, calm_beside):
    run.figure(NAME, f"{ALONE}: 20,000 seats held and confirmed", alone, "/s")
    run.figure(NAME, f"{BESIDE}: 20,000 seats held and confirmed", beside, "/s")
    run.figure(NAME, f"{BESIDE}: of the sale without them", 100 * beside / alone, "%", at_least=90)
    for name in ("p50", "p99"):
        run.figure(NAME, f"{ALONE}: at {RATE:,}/s, {name}", calm_alone[name], "ms")
        run.figure(NAME, f"{BESIDE}: at {RATE:,}/s, {name}", calm_beside[name], "ms")


def _measure_returns(instance, run, seats, parties):
    """Every release asks whether one of the parties can be served now."""
    own = "show:own-wishes"
    _define(instance, own, seats)
    _wait(instance, own, _own_wishes(parties), parties)
    count = run.scaled(2_000, 50)
    for show in ("show:nobody-waits", "show:crowd-waits"):
        _give_back(instance, show, count)
    run.figure(NAME, f"{ALONE}: held and released", _give_back(instance, "show:nobody-waits", count), "/s")
    run.figure(NAME, f"{BESIDE}: held and released", _give_back(instance, "show:crowd-waits", count), "/s")
    run.figure(NAME, "100,000 parties wait, each for seats of its own: held and released",
               _give_back(instance, own, run.scaled(500, 10)), "/s")
