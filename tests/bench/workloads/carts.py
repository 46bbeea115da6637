"""
Carts, by two published workloads. The theatre: 25,000 carts of five named seats at 1,000 a second, held, then
confirmed. The shop: baskets of 5 of 1,000 products at 1,000 a second, which take no stock until the checkout.
"""

import json
import random

from offer import all_confirmed, check_books, hall, offer, write_requests
from run import expect

THEATRE, SHOP = "theatre", "shop"
RATE, CARTS, WARMUP_S = 1_000, 25_000, 3
SIZE = 5            # seats, or lines, a cart
SHOWS = 50          # evenings in one hall
PRODUCTS = 1_000
ROW = 50


def _offered(run):
    """(a second, carts)"""
    rate = run.scaled(RATE, 50)
    return rate, max(run.scaled(CARTS), 2 * rate)


# ---- theatre ------------------------------------------------------------------------------------------------------

def _seat_carts(show, seats):
    """Five neighbours each, of named seats, as a map of the free ones lets people choose."""
    for first in range(0, seats, SIZE):
        yield show, [f"R{seat // ROW}-{seat % ROW + 1}" for seat in range(first, first + SIZE)]


def _theatre_requests(shows, seats):
    carts = [cart for show in shows for cart in _seat_carts(show, seats)]
    random.Random(3).shuffle(carts)
    return ({"op": "hold", "resource": show, "items": [{"seats": seats_}]} for show, seats_ in carts)


def theatre(instance, run):
    rate, carts = _offered(run)
    seats = -(-carts * SIZE // SHOWS // ROW) * ROW
    shows = [f"show:evening-{n}" for n in range(SHOWS)]
    warm = [f"show:warm-{n}" for n in range(SHOWS)]
    instance.send(hall(show, seats, ROW) for show in shows + warm)
    offer(instance, requests=write_requests(instance, "warm", _theatre_requests(warm, seats)), rate=rate,
          count=min(carts, WARMUP_S * rate), then="confirm")
    requests = write_requests(instance, "carts", _theatre_requests(shows, seats))
    figures = all_confirmed(offer(instance, requests=requests, rate=rate, count=carts, then="confirm"))
    sold = instance.sql(
        "select count(*), count(distinct (a.pool, a.unit)), count(distinct a.booking) from usher.resource as r"
        "  join usher.pool as p on p.resource_no = r.no join usher.allocation as a on a.pool = p.no"
        "  join usher.booking as b on b.no = a.booking where r.id like 'show:evening-%%' and b.state = 'confirmed'")[0]
    expect("seats sold, different ones, carts", sold, (carts * SIZE, carts * SIZE, carts))
    run.figure(THEATRE, "carts of 5 named seats, offered 1,000/s, held and confirmed", figures["sent"] / figures["seconds"],
               "/s", at_least=0.99 * rate)
    for name, wanted in (("mean", 5), ("p50", None), ("p99", 25)):
        run.figure(THEATRE, f"… {name} of both", figures["then"]["together_ms"][name], "ms", at_most=wanted)


# ---- shop ---------------------------------------------------------------------------------------------------------

def _baskets(count, seed):
    dice = random.Random(seed)
    return [dice.sample(range(PRODUCTS), SIZE) for _ in range(count)]


def _shop(resource, stock):
    return {"request_id": f"def-{resource}", "op": "define", "resource": resource, "state": "open", "currency": "GBP",
            "products": [{"product": f"sku-{n}", "capacity": stock, "price": 1000 + n} for n in range(PRODUCTS)]}


def _checkouts(resource, baskets):
    return ({"op": "book", "resource": resource, "payment": "pi_3Q",
             "items": [{"product": f"sku-{n}", "quantity": 1} for n in basket]} for basket in baskets)


def _judge_checkouts(answers, baskets, stock):
    """In the order of decisions: a basket is sold if every line is there, else its missing lines are named, exactly."""
    left, sold = [stock] * PRODUCTS, 0
    for line in answers:
        answer = json.loads(line)
        basket = baskets[int(answer["request_id"][-10:])]
        missing = [place for place, product in enumerate(basket) if left[product] == 0]
        expect(f"{answer['request_id']}: missing lines", [item["item"] for item in answer.get("items", [])], missing)
        expect(f"{answer['request_id']}: outcome", answer["outcome"], "refused" if missing else "confirmed")
        if not missing:
            sold += 1
            for product in basket:
                left[product] -= 1
    return sold


def shop(instance, run):
    rate, carts = _offered(run)
    stock = max(1, carts * SIZE // PRODUCTS)  # as many pieces as are asked for, so some products run out
    instance.send([_shop("shop:main", stock), _shop("shop:warm", 1_000)])
    offer(instance, requests=write_requests(instance, "warm", _checkouts("shop:warm", _baskets(carts, 4))), rate=rate,
          count=min(carts, WARMUP_S * rate))
    baskets = _baskets(carts, 5)
    answers = instance.scratch / "answers.jsonl"
    figures = offer(instance, requests=write_requests(instance, "baskets", _checkouts("shop:main", baskets)), rate=rate,
                    count=carts, answers=answers)
    with open(answers, encoding="utf-8") as lines:
        sold = _judge_checkouts(lines, baskets, stock)
    check_books(instance, "shop:main", sold * SIZE, sold)
    run.figure(SHOP, "checkouts of 5 of 1,000 products, offered 1,000/s", figures["requests_per_s"], "/s",
               at_least=0.99 * rate)
    run.figure(SHOP, "… refused, the missing lines named", 100 * (carts - sold) / carts, "%")
    for name, wanted in (("mean", 5), ("p50", None), ("p99", None)):
        run.figure(SHOP, f"… {name}", figures["latency_ms"][name], "ms", at_most=wanted)


def measure(instance, run):
    theatre(instance, run)
    shop(instance, run)
