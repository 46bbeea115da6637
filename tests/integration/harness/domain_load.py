"""A crowd that uses the whole domain: rates, carts, waiting lists, blocks, exchanges, transfers, changes of the catalogue.
As with any crowd, what it asks is a function of its seed, and what it gets is judged by the replay."""

from .load import Crowd
from .shows import pieces, places, stay

NIGHTS = {'from': '2030-01-01', 'to': '2030-01-15'}
LIMITS = [{}, {'units_per_customer': 12}, {'holds_per_customer': 3, 'units_per_request': 8, 'hold_total_s': 4},
          {'groups': [{'pools': ['stalls', 'circle'], 'limit': 6}]}]
QUOTAS = [[], [{'quota': 'house', 'pools': ['stalls', 'circle'], 'limit': 60}],
          [{'quota': 'keys', 'pools': ['double'], 'limit': 4}]]


def rows(letter, *sizes):
    return [{'row': f'{letter}{number}', 'seats': size, 'features': {'aisle': [1, size]}}
            for number, size in enumerate(sizes, 1)]


def definition(strategy):
    return {'state': 'open', 'currency': 'EUR', 'strategy': strategy, 'sections': [
        {'section': 'stalls', 'rates': {'adult': 4500, 'child': 2500}, 'rows': rows('S', 12, 14, 16)},
        {'section': 'circle', 'price': 3000, 'rows': rows('C', 8, 9)},
        {'section': 'floor', 'capacity': 20, 'overbook': 2, 'rates': {'standard': 2000, 'member': 1500}}],
        'products': [{'product': 'programme', 'capacity': 15, 'price': 500, 'properties': {'pages': 24}}],
        'rooms': [{'room': 'double', **NIGHTS, 'capacity': 5, 'price': 12000}]}


def picked(item):
    """An item as a confirm names it: what it has, not how it was chosen."""
    plain = {name: value for name, value in item.items() if name not in ('sections', 'together', 'avoid')}
    return {**plain, 'section': item['sections'][0]} if 'sections' in item else plain


class DomainCrowd(Crowd):
    _blocks = ()

    def define(self, fairs=1):
        """So many resources of each strategy."""
        self.resources = [f'fair:{strategy}:{number}' for number in range(fairs)
                          for strategy in ('best', 'first', 'random')]
        for answer in self.client.ask_all(*(self.client.request('define', resource, **definition(
                resource.split(':')[1])) for resource in self.resources)):
            assert answer['outcome'] == 'defined'
        return self

    def _roll(self, *sides):
        return self._random.choice(sides)

    # ---- what it asks ----
    def _item(self):
        number = self._random.randint
        section, rate = self._roll(('stalls', 'adult'), ('stalls', 'child'), ('circle', None), ('floor', 'member'))
        more = {'rate': rate} if rate and self._roll(True, False) else {}
        return self._roll(
            lambda: places(section, number(1, 4), **more, **self._roll({}, {}, {'together': True}, {'avoid': ['aisle']})),
            lambda: [{'seats': sorted({f'S{number(1, 3)}-{number(1, 12)}' for _seat in range(number(1, 3))})}],
            lambda: [{'sections': ['circle', 'stalls', 'floor'], 'quantity': number(1, 4)}],
            lambda: pieces('programme', number(1, 3)),
            lambda: self._nights(number(1, 12)))()

    def _nights(self, day):
        end = day + self._random.randint(1, 3)
        return stay('double', f'2030-01-{day:02d}', f'2030-01-{end:02d}', self._random.randint(1, 2))

    def _items(self, resource=None):
        items = [item for _item in range(self._roll(1, 1, 1, 2, 3)) for item in self._item()]
        named = [item for item in items if 'seats' in item]
        return [item for item in items if 'seats' not in item or item is named[0]]  # a seat named twice is malformed

    def _taking(self, resource):
        op = self._roll('hold', 'hold', 'hold', 'book', 'block')
        fields = {'items': self._items()}
        if op == 'block':
            fields['return_at'] = self._roll(None, None, '2020-01-01T00:00:00Z')
        else:
            fields.update(customer=f'c{self._random.randint(1, 12)}', cart=self._roll(None, 'a', 'b'))
        if op == 'hold':
            fields.update(ttl_s=self._roll(None, 1, 2, 900), wait_until=self._roll(None, None, '2099-01-01T00:00:00Z'))
            if self._blocks and self._roll(True, False, False):
                fields.update(from_block=self._roll(*self._blocks), wait_until=None)
        request = self.client.request(op, resource, shortage=self._roll(None, None, 'partial'), **fields)
        if op == 'block':
            self._blocks = [*self._blocks[-9:], request['request_id']]
        self._taken = [*self._taken[-200:], request]
        return request

    def _changing(self):
        earlier = self._roll(*self._taken[-40:])
        op = self._roll('confirm', 'confirm', 'release', 'cancel', 'extend', 'exchange', 'transfer', 'leave', 'unblock',
                        'probe', 'repeat')
        if op == 'repeat':
            return earlier
        fields = {'customer': earlier.get('customer', 'c1'), 'booking': earlier['request_id']}
        if op in ('confirm', 'release', 'cancel', 'extend', 'probe') and earlier.get('cart') and self._roll(True, False):
            fields = {'customer': fields['customer'], 'cart': earlier['cart']}
        elif op == 'confirm' and self._roll(True, False, False):
            fields['items'] = [picked(earlier['items'][0])]
        if op == 'exchange':
            holds = [one for one in self._taken[-40:] if one['op'] == 'hold' and one is not earlier
                     and (one['resource'], one['customer']) == (earlier['resource'], fields['customer'])]
            hold = self._roll(None, None, *holds[-2:])
            fields['from_hold'] = hold and hold['request_id']
            fields['items'] = self._roll(hold['items'], self._items()) if hold else self._items()
        if op == 'transfer':
            fields['to_customer'] = f'c{self._random.randint(1, 12)}'
        if op == 'extend':
            fields['ttl_s'] = self._roll(1, 60)
        if op in ('release', 'cancel', 'leave', 'unblock'):
            fields['note'] = f'{op} of "{earlier["op"]}"'
        return self.client.request(op, earlier['resource'], **fields)

    def _catalogue(self, resource):
        return self._roll(
            lambda: self.client.request('define', resource, limits=self._roll(*LIMITS)),
            lambda: self.client.request('define', resource, quotas=self._roll(*QUOTAS)),
            lambda: self.client.request('define', resource, strategy=self._roll('best', 'first', 'random'),
                                        only=self._roll(None, 'new', 'existing')),
            lambda: self.client.request('define', resource, sections=[
                {'section': 'floor', 'capacity': self._random.randint(10, 25), 'overbook': self._roll(0, 2)}]),
            lambda: self.client.request('define', resource, rooms=[
                {'room': 'double', **NIGHTS, 'capacity': self._random.randint(3, 6), 'price': self._roll(11000, 12000)}]),
            lambda: self.client.request('define', resource, sections=[
                {'section': 'stalls', 'rows': rows('S', 12, 14, 16, *self._roll((), (5,)))}]),
            lambda: self.client.request('probe', resource),
            lambda: self.client.request('open', resource),
            lambda: self.client.request('close', resource, cancel_bookings=self._roll(None, None, True)),
            lambda: self.client.request('open', resource))()

    def _request(self):
        resource, dice = self._roll(*self.resources), self._random.random()
        if dice < 0.03:
            return self._catalogue(resource)
        if self._taken and dice < 0.5:
            return self._changing()
        return self._taking(resource)
