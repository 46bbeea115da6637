"""A shop: what is put into a basket takes no stock. The basket lives at the shop's own site; the checkout is one request
that takes every line, or none and says which lines fail. Or, of several shops, one transaction."""

import random

import pytest

from harness.counts import check_counts, settle
from harness.shows import pieces, shortfalls, verdict
from harness.waiting import eventually

STOCK = {'mug': (10, 900), 'shirt': (5, 2500), 'poster': (3, 1200), 'record': (1, 3000)}
UNITS = sum(capacity for capacity, _price in STOCK.values())


class Basket:
    """Lines of one buyer, as the shop's site keeps them: no request is sent before the checkout."""

    def __init__(self, house, shop, customer):
        self.house, self.shop, self.customer, self.lines = house, shop, customer, {}

    def add(self, product, quantity):
        self.lines[product] = self.lines.get(product, 0) + quantity
        return self

    def change(self, product, quantity):
        self.lines[product] = quantity
        return self

    def remove(self, product):
        del self.lines[product]
        return self

    def request(self, **more):
        items = [item for product, quantity in self.lines.items() for item in pieces(product, quantity)]
        return self.house.client.request('book', self.shop, customer=self.customer, items=items, **more)

    def check_out(self, **more):
        return self.house.ask_all(self.request(**more))[0]


def shelves(house, shop, stock=None):
    """A shop with that stock."""
    products = [{'product': name, 'name': name.title(), 'capacity': capacity, 'price': price}
                for name, (capacity, price) in (stock or STOCK).items()]
    assert verdict(house.ask('define', shop, state='open', currency='GBP', products=products)) == ('defined', None)
    return shop


def left(house, shop):
    return {pool['product']: pool['free'] for pool in house.ask('probe', shop)['pools']}


def test_a_basket_costs_no_stock_until_the_checkout(house):
    shop = shelves(house, 'shop:basket')
    baskets = [Basket(house, shop, f'c{number}').add('mug', 8).add('poster', 2) for number in range(3)]
    before = check_counts(house, shop, UNITS)
    baskets[0].add('mug', 1).change('poster', 3).add('shirt', 1).remove('shirt')
    assert house.ask('probe', shop)['rev'] == before['rev']
    sold = baskets[0].check_out(payment='card-1', meta={'ship_to': 'Mill Lane 4'})
    assert verdict(sold) == ('confirmed', None) and sold['payment'] == 'card-1'
    assert sold['units'] == [{'item': 0, 'product': 'mug', 'quantity': 9, 'price': 900},
                             {'item': 1, 'product': 'poster', 'quantity': 3, 'price': 1200}]
    assert (sold['total'], sold['currency']) == (9 * 900 + 3 * 1200, 'GBP')
    check_counts(house, shop, UNITS - 12, sold=12)


def test_the_checkout_names_the_lines_that_fail(house):
    shop = shelves(house, 'shop:failing')
    Basket(house, shop, 'early').add('mug', 4).add('record', 1).check_out()
    basket = Basket(house, shop, 'late').add('shirt', 5).add('mug', 7).add('poster', 1).add('record', 1)
    refused = basket.check_out()
    assert verdict(refused) == ('refused', 'not_enough') and refused['retryable']
    assert refused['items'] == [{'item': 1, 'asked': 7, 'given': 0, 'reason': 'not_enough', 'free': 6},
                                {'item': 3, 'asked': 1, 'given': 0, 'reason': 'not_enough', 'free': 0}]
    check_counts(house, shop, UNITS - 5, sold=5)
    # The buyer takes what is there, and the same basket goes through.
    assert basket.change('mug', 6).remove('record').check_out()['total'] == 5 * 2500 + 6 * 900 + 1200
    check_counts(house, shop, 2, sold=UNITS - 2)
    assert left(house, shop) == {'mug': 0, 'shirt': 0, 'poster': 2, 'record': 0}
    assert shortfalls(Basket(house, shop, 'last').add('sofa', 1).add('poster', 1).check_out()) == {
        0: ('unknown_pool', None, None)}


def test_the_same_product_twice_adds_up(house):
    shop = shelves(house, 'shop:twice')
    twice = [*pieces('shirt', 3), *pieces('mug', 1), *pieces('shirt', 3)]
    refused = house.ask('book', shop, customer='c', items=twice)
    assert verdict(refused) == ('refused', 'not_enough') and shortfalls(refused) == {2: ('not_enough', 2, None)}
    check_counts(house, shop, UNITS)
    twice[2]['quantity'] = 2
    sold = house.ask('book', shop, customer='c', items=twice)
    assert [(group['item'], group['product'], group['quantity']) for group in sold['units']] == [
        (0, 'shirt', 3), (1, 'mug', 1), (2, 'shirt', 2)]
    assert sold['total'] == 5 * 2500 + 900
    check_counts(house, shop, UNITS - 6, sold=6)


def test_a_buyer_may_take_what_there_is(house):
    shop = shelves(house, 'shop:partial')
    Basket(house, shop, 'early').add('record', 1).add('shirt', 3).check_out()
    answer = Basket(house, shop, 'late').add('shirt', 4).add('record', 1).add('mug', 1).check_out(shortage='partial')
    assert verdict(answer) == ('confirmed', None) and answer['total'] == 2 * 2500 + 900
    assert answer['items'] == [{'item': 0, 'asked': 4, 'given': 2, 'reason': 'not_enough', 'free': 2},
                               {'item': 1, 'asked': 1, 'given': 0, 'reason': 'not_enough', 'free': 0}]
    check_counts(house, shop, UNITS - 7, sold=7)


def test_an_order_that_is_cancelled_is_stock_again(house):
    shop = shelves(house, 'shop:cancelled')
    sold = Basket(house, shop, 'c').add('mug', 10).add('record', 1).check_out()
    refused = Basket(house, shop, 'd').add('record', 1).check_out()
    assert verdict(refused) == ('refused', 'not_enough')
    back = house.ask('cancel', shop, customer='c', booking=sold['booking'], note='sent back')
    assert verdict(back) == ('cancelled', None) and back['returned'] == sold['units']
    check_counts(house, shop, UNITS)
    assert verdict(Basket(house, shop, 'd').add('record', 1).check_out()) == ('confirmed', None)


@pytest.mark.parametrize('accident', ['the commit is cut off', 'the worker is killed'])
def test_a_checkout_that_is_rolled_back_leaks_nothing(house, accident):
    """Decided, but not committed: nothing of it is left behind, and it is decided again, once."""
    shop = shelves(house, f'shop:{accident.replace(" ", "-")}')
    epoch = house.position()[0]
    with house.locked():
        sent = house.client.send(Basket(house, shop, 'c').add('mug', 6).add('shirt', 2).request(),
                                 Basket(house, shop, 'd').add('mug', 6).request())
        pids = eventually(house.waiting_commits, 'the checkout waits for its commit')
        if accident == 'the worker is killed':
            house.workers[-1].kill()
        for (pid,) in pids:
            house.sql('select pg_terminate_backend(%s)', pid)
    if accident == 'the worker is killed':
        house.worker()
    sold, refused = house.client.answers_to(sent)
    assert verdict(sold) == ('confirmed', None) and house.position()[0] > epoch
    assert shortfalls(refused) == {0: ('not_enough', 4, None)}
    check_counts(house, shop, UNITS - 8, sold=8)
    assert house.sql('select count(*) from usher.booking b join usher.resource r on r.no = b.resource_no '
                     'where r.id = %s', shop) == [(1,)]


# ---- a basket from several shops -----------------------------------------------------------------------------------------
class Trolley:
    """Lines from several shops, as the site of all of them keeps them."""

    def __init__(self, house, name):
        self.house, self.name, self.lines = house, name, {}

    def put(self, shop, product, quantity):
        """As many as that; 0 removes the line."""
        self.lines[shop, product] = quantity
        return self

    def order(self, ttl_s=60):
        """As the till is told of it: held for no longer than a checkout takes."""
        items = {}
        for (shop, product), quantity in self.lines.items():
            if quantity:
                items.setdefault(shop, []).extend(pieces(product, quantity))
        return {'cart': self.name, 'customer': f'buyer of {self.name}', 'lines': [
            {'resource': shop, 'items': lines, 'ttl_s': ttl_s} for shop, lines in items.items()]}


def two_shops(house, name):
    return shelves(house, f'shop:{name}-1'), shelves(house, f'shop:{name}-2')


def test_a_basket_from_two_shops_is_sold_whole(house, till):
    first, second = two_shops(house, 'both')
    trolley = Trolley(house, 'both-order').put(first, 'mug', 8).put(second, 'record', 1).put(first, 'shirt', 2)
    before = [check_counts(house, shop, UNITS)['rev'] for shop in (first, second)]
    trolley.put(first, 'mug', 9).put(second, 'poster', 3).put(first, 'shirt', 0)
    assert [house.ask('probe', shop)['rev'] for shop in (first, second)] == before
    receipt = till.check_out(trolley.order())
    assert (receipt['state'], [line['total'] for line in receipt['answers']]) == ('sold', [9 * 900, 3000 + 3 * 1200])
    check_counts(house, first, UNITS - 9, sold=9)
    check_counts(house, second, UNITS - 4, sold=4)


def test_the_checkout_names_the_lines_that_fail_in_each_shop(house, till):
    first, second = two_shops(house, 'short')
    third = shelves(house, 'shop:short-3')
    Basket(house, first, 'early').add('mug', 4).check_out()
    Basket(house, second, 'early').add('record', 1).check_out()
    trolley = Trolley(house, 'short-order').put(third, 'shirt', 5).put(first, 'poster', 1).put(first, 'mug', 7)
    trolley.put(second, 'record', 1).put(second, 'mug', 10).put(first, 'shirt', 6)
    refused = till.check_out(trolley.order())
    assert (refused['state'], [(line['resource'], shortfalls(line)) for line in refused['answers']]) == ('refused', [
        (first, {1: ('not_enough', 6, None), 2: ('not_enough', 5, None)}), (second, {0: ('not_enough', 0, None)})])
    for shop, sold in (first, 4), (second, 1), (third, 0):
        check_counts(house, shop, UNITS - sold, sold=sold)
    # The buyer takes what is there: another order, with ids of its own.
    trolley.name = 'short-order-2'
    trolley.put(first, 'mug', 6).put(first, 'shirt', 5).put(second, 'record', 0)
    assert till.check_out(trolley.order())['state'] == 'sold'
    check_counts(house, first, UNITS - 16, sold=16)
    check_counts(house, second, UNITS - 11, sold=11)
    check_counts(house, third, UNITS - 5, sold=5)


def test_the_same_product_in_two_lines_of_an_order_adds_up(house, till):
    shop, other = two_shops(house, 'again')
    order = Trolley(house, 'again-order').put(shop, 'shirt', 3).put(other, 'mug', 1).order()
    order['lines'].append({'resource': shop, 'items': pieces('shirt', 3)})
    refused = till.check_out(order)
    assert refused['state'] == 'refused'  # whichever of the two came second
    assert all(shortfalls(line) == {0: ('not_enough', 2, None)} for line in refused['answers'])
    check_counts(house, shop, UNITS)
    order['cart'], order['lines'][2]['items'] = 'again-order-2', pieces('shirt', 2)
    assert till.check_out(order)['state'] == 'sold'
    check_counts(house, shop, UNITS - 5, sold=5)


@pytest.mark.parametrize('step', [('Produce', 'response', False), ('Produce', 'request', True), ('EndTxn', 'response', True)],
                         ids=['taken', 'paid', 'sold'])
def test_a_checkout_that_died_is_carried_on(house, till, step):
    """By the till that is opened next, and nothing is sold twice."""
    name = f'carried-{step[0]}-{step[1]}'.lower()
    first, second = two_shops(house, name)
    till.dies(Trolley(house, name).put(first, 'mug', 3).put(second, 'record', 1).order(ttl_s=600), *step)
    receipt = till.open().says()
    assert (receipt['cart'], receipt['state']) == (name, 'sold')
    check_counts(house, first, UNITS - 3, sold=3)
    check_counts(house, second, UNITS - 1, sold=1)


def test_a_checkout_that_died_for_good_returns_the_stock(house, till):
    first, second = two_shops(house, 'left')
    till.dies(Trolley(house, 'left').put(first, 'mug', 3).put(second, 'record', 1).order(ttl_s=10), 'EndTxn', 'request')
    eventually(lambda: left(house, first)['mug'] == 10 and left(house, second)['record'] == 1, 'all is on the shelves')
    assert verdict(Basket(house, second, 'next').add('record', 1).check_out()) == ('confirmed', None)
    assert till.open().says()['state'] == 'not sold'
    check_counts(house, first, UNITS)
    check_counts(house, second, UNITS - 1, sold=1)


# ---- a rush ----------------------------------------------------------------------------------------------------------
def calculate(stock, items):
    """What a checkout must come to, and the stock behind it: the failing lines as {item: free}, or nothing."""
    after, failing = dict(stock), {}
    for index, item in enumerate(items):
        if item['quantity'] <= after[item['product']]:
            after[item['product']] -= item['quantity']
        else:
            failing[index] = after[item['product']]
    return (stock, failing) if failing else (after, failing)


def test_a_rush_on_the_shelves(house):
    """Four hundred baskets at once over forty products: each is sold out to the last piece or refused for a reason."""
    dice = random.Random(5)
    stock = {f'sku-{number}': dice.randint(3, 60) for number in range(40)}
    shop = shelves(house, 'shop:rush', {name: (count, 100) for name, count in stock.items()})
    units, requests = sum(stock.values()), []
    for number in range(400):
        basket = Basket(house, shop, f'c{number}')
        for product in dice.sample(sorted(stock), 5):
            basket.add(product, dice.randint(1, 3))
        requests.append(basket.request())
    sold = 0
    for request, answer in zip(requests, house.ask_all(*requests)):
        stock, failing = calculate(stock, request['items'])
        assert verdict(answer) == (('refused', 'not_enough') if failing else ('confirmed', None))
        if failing:
            assert {index: free for index, (_reason, free, _taken) in shortfalls(answer).items()} == failing
        else:
            sold += sum(item['quantity'] for item in request['items'])
        assert answer['free'] == sum(stock.values())
    assert sold > units // 2
    check_counts(house, shop, units - sold, sold=sold)
    assert left(house, shop) == stock


def test_the_books_balance(house):
    assert settle(house).facts['internal'] == 0
