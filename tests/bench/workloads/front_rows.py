"""Named seats with conflicts: 160 buyers at a time, who all want the front rows, on 8,000 seats until the last is sold."""

import json
import random

from offer import check_books, hall, offer, write_requests
from run import expect

NAME = "front rows"
SHOW = "show:front-rows"
BUYERS, ROWS, SEATS_A_ROW = 160, 80, 100


def _wishes(rows):
    """
    Row by row from the front, each seat of a row is wanted five times: in pairs that overlap, and alone, so that none
    is left over. Within three rows the order is random, as buyers are.
    """
    dice = random.Random(1)
    order = []
    for row in range(rows):
        pairs = [(seat, seat + 1) for seat in range(1, SEATS_A_ROW)] * 2
        singles = [(seat,) for seat in range(1, SEATS_A_ROW + 1)]
        order += [(row + 3 * dice.random(), [f"R{row}-{seat}" for seat in wish]) for wish in pairs + singles]
    return [seats for _place, seats in sorted(order)]


def _judge(answers, wishes):
    """
    Every answer in the order of decisions: customers who got seats got the requested ones, which were free; who was refused
    is told exactly which of them were gone, and they were. Returns how many were sold to how many.
    """
    gone, bookings = set(), 0
    for line in answers:
        answer = json.loads(line)
        asked = wishes[int(answer["request_id"][-10:])]
        taken = [seat for seat in asked if seat in gone]
        if answer["outcome"] == "held":
            expect(f"{answer['request_id']}: seats that were sold before", taken, [])
            expect(f"{answer['request_id']}: its seats", answer["units"][0]["seats"], asked)
            gone.update(asked)
            bookings += 1
        else:
            expect(f"{answer['request_id']}: reason", answer.get("reason"), "unit_taken")
            expect(f"{answer['request_id']}: what is gone of {asked}", answer["items"][0]["taken"], taken)
    return len(gone), bookings


def measure(instance, run):
    rows = run.scaled(ROWS, 4)
    seats = rows * SEATS_A_ROW
    wishes = _wishes(rows)
    instance.send([hall(SHOW, seats), hall("show:warm", 20_000)])
    offer(instance, "show:warm", count=run.scaled(9_000))  # the warm-up
    requests = write_requests(instance, "wishes", ({"op": "hold", "resource": SHOW, "items": [{"seats": wish}]}
                                                   for wish in wishes))
    answers = instance.scratch / "answers.jsonl"
    figures = offer(instance, requests=requests, count=len(wishes), in_flight=BUYERS, answers=answers)
    with open(answers, encoding="utf-8") as lines:
        sold, bookings = _judge(lines, wishes)
    expect("seats sold", sold, seats)
    check_books(instance, SHOW, seats, bookings)
    _note(run, figures)


def _note(run, figures):
    refused = figures["sent"] - figures["outcomes"]["held"]
    run.figure(NAME, "160 buyers at a time, 8,000 named seats until sold out", figures["requests_per_s"], "/s")
    run.figure(NAME, "… bookings", figures["bookings_per_s"], "/s")
    run.figure(NAME, "… refused, each seat in the way truly gone", 100 * refused / figures["sent"], "%")
    for name in ("p50", "p99"):
        run.figure(NAME, f"… {name}", figures["latency_ms"][name], "ms")
