"""A hotel of 40 room types over two years: stays of 1 to 14 nights, until the best weeks are full."""

import datetime
import json
import random

from offer import check_books, offer, write_requests
from run import expect

NAME = "hotel"
TYPES, NIGHTS, ROOMS = 40, 730, 15
STAYS, RATE, SECONDS, WARMUP_S = 60_000, 2_000, 6, 3
FIRST = datetime.date(2027, 1, 1)


def _day(night):
    return (FIRST + datetime.timedelta(days=night)).isoformat()


def _define(instance, hotel):
    instance.send([{"request_id": f"def-{hotel}", "op": "define", "resource": hotel, "state": "open", "currency": "GBP",
                    "timezone": "Europe/London",
                    "rooms": [{"room": f"type-{n}", "from": _day(0), "to": _day(NIGHTS), "capacity": ROOMS, "price": 12900}
                              for n in range(TYPES)]}])


def _stays(count, seed):
    """(type, first night, nights, rooms): short ones are more than long ones, one room is usual."""
    dice = random.Random(seed)
    for _ in range(count):
        nights = min(dice.randint(1, 14), dice.randint(1, 14))
        yield (dice.randrange(TYPES), dice.randrange(NIGHTS - nights + 1), nights, dice.choice((1, 1, 1, 1, 2, 3)))


def _requests(hotel, stays):
    return ({"op": "book", "resource": hotel,
             "items": [{"room": f"type-{kind}", "from": _day(night), "to": _day(night + nights), "quantity": rooms}]}
            for kind, night, nights, rooms in stays)


def _judge(answers, stays):
    """
    In the order of decisions, night by night: a stay is sold if there are rooms enough in every one of its nights,
    else it is told which nights are short. Returns (room nights sold, stays sold).
    """
    free, units, sold = [[ROOMS] * NIGHTS for _ in range(TYPES)], 0, 0
    for line in answers:
        answer = json.loads(line)
        kind, first, nights, rooms = stays[int(answer["request_id"][-10:])]
        calendar = free[kind]
        short = [_day(night) for night in range(first, first + nights) if calendar[night] < rooms]
        expect(f"{answer['request_id']}: outcome", answer["outcome"], "refused" if short else "confirmed")
        if short:
            expect(f"{answer['request_id']}: nights that are short", answer["items"][0]["taken"], short)
            continue
        for night in range(first, first + nights):
            calendar[night] -= rooms
        units, sold = units + nights * rooms, sold + 1
    return units, sold


def _full_load(instance, run):
    hotel, count = "hotel:full", run.scaled(STAYS, 500)
    stays = list(_stays(count, 6))
    _define(instance, hotel)
    answers = instance.scratch / "answers.jsonl"
    figures = offer(instance, requests=write_requests(instance, "stays", _requests(hotel, stays)), count=count,
                    answers=answers)
    with open(answers, encoding="utf-8") as lines:
        units, sold = _judge(lines, stays)
    check_rooms(instance, hotel, units, sold)
    run.figure(NAME, "60,000 stays of 1-14 nights, 40 types, 2 years, full load", figures["requests_per_s"], "/s")
    run.figure(NAME, "… nights of rooms sold", units / figures["seconds"], "/s")
    run.figure(NAME, "… refused, the short nights named", 100 * (count - sold) / count, "%")


def check_rooms(instance, hotel, units, sold):
    """As check_books; the probe of a hotel has its nights in pages, so the record and `free` are asked."""
    free = json.loads(instance.producer("probe", hotel, "--wait=60s", "--json"))["free"]
    expect(f"{hotel}: room nights that are free", free, TYPES * NIGHTS * ROOMS - units)
    check_books(instance, hotel, units, sold, probe=False)


def _at_a_rate(instance, run):
    hotel, rate = "hotel:calm", run.scaled(RATE, 50)
    seconds, warmup_s = run.scaled(SECONDS, 2), run.scaled(WARMUP_S)
    _define(instance, hotel)
    stays = _stays(rate * (seconds + warmup_s), 7)
    figures = offer(instance, requests=write_requests(instance, "stays", _requests(hotel, stays)), rate=rate,
                    seconds=seconds, warmup_s=warmup_s)
    for name in ("p50", "p99"):
        run.figure(NAME, f"{RATE:,}/s offered, {name}", figures["latency_ms"][name], "ms")


def measure(instance, run):
    hotel, count = "hotel:warm", run.scaled(STAYS // 3, 200)
    _define(instance, hotel)
    offer(instance, requests=write_requests(instance, "stays", _requests(hotel, _stays(count, 8))), count=count)
    _full_load(instance, run)
    _at_a_rate(instance, run)
