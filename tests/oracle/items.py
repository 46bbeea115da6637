"""Reads the items of a request: named seats, quantities of sections and products, nights of rooms."""

import copy

from . import parsing
from .contract import ITEM, REQUEST
from .parsing import unless

ITEMS_MAX = REQUEST['items']['max']
UNITS_MAX = ITEM['quantity']['max']
NEEDS_MAX = 10  # members of all items who need features
CHOICES_MAX = ITEM['sections']['max']
NIGHTS_MAX = 366


class Item:
    """One requested line. `sections`: the acceptable ones in order, in place of `pool`."""
    __slots__ = ('kind', 'pool', 'sections', 'seats', 'quantity', 'start', 'end', 'together', 'rate', 'features',
                 'avoid', 'members')

    def content(self):
        return (self.kind, self.pool, self.sections, self.seats, self.quantity, self.start, self.end, self.together,
                self.rate, self.features, self.avoid, self.members)

    def parts(self):
        """Its members, each as an item of its own; or all of it."""
        parts = [copy.copy(self) for _member in self.members]
        for part, member in zip(parts, self.members):
            part.quantity, part.rate, part.features = member
            part.members = ()
        return parts or [self]

    def needs(self):
        """Whether some member needs a feature."""
        return any(features for _quantity, _rate, features in self.members)

    def nights(self):
        return [parsing.night_name(day) for day in range(self.start, self.end)]

    def units(self):
        return self.quantity * (self.end - self.start if self.kind == 'room' else 1)


def _kind(found):
    kinds = [kind for kind in ('seats', 'section', 'room', 'product') if found.get(kind) is not None]
    kinds += ['section'] if found.get('sections') else []
    unless(len(kinds) == 1, 'an item is about one of seats, section, sections, room, product')
    return kinds[0]


def _choice(item, found, op):
    """What will do, where an item leaves usher the choice; others may not say so."""
    item.sections, item.features, item.avoid = (
        parsing.names(found, name, CHOICES_MAX, pool=name == 'sections') or ()
        for name in ('sections', 'features', 'avoid'))
    if item.sections or item.features or item.avoid:
        unless(item.kind == 'section' and op in ITEM['sections']['only'], 'nothing to choose')


def _member(item, found):
    quantity = parsing.integer(found, 'quantity', 1, UNITS_MAX)
    unless(quantity is not None, 'members: no quantity')
    features = tuple(parsing.names(found, 'features', CHOICES_MAX) or ())
    unless(not features or item.kind == 'section', 'members: features of what has no seats')
    return quantity, parsing.text(found, 'rate', 64, minimum=1), features


def _members(item, found, op):
    """A party says what the item would say of all of it."""
    listed = parsing.objects(found, 'members')
    if found.get('members') is None:
        return ()
    unless(ITEM['members']['min'] <= len(listed) <= ITEM['members']['max'], 'members: too many, or none')
    unless(item.kind in ITEM['members']['kinds'] and op in ITEM['members']['only'], 'members: nobody')
    unless(item.rate is None and not item.features, 'members: with what they say themselves')
    members = tuple(_member(item, one) for one in listed)
    quantity = sum(quantity for quantity, _rate, _features in members)
    unless(quantity <= UNITS_MAX and item.quantity in (None, quantity), 'quantity: not of the members')
    item.quantity = quantity
    return members


def _counted(item, found, op):
    item.pool = parsing.name_of(found, item.kind)
    unless(item.quantity is not None or op == 'probe', 'quantity: missing')
    item.quantity = item.quantity or 1


def _nights(item, found):
    item.start, item.end = parsing.night(found, 'from'), parsing.night(found, 'to')
    if item.kind != 'room':
        unless(item.start is None and item.end is None, 'from, to: only a room has nights')
        return
    unless(item.start is not None and item.end is not None, 'from or to: missing')
    unless(0 < item.end - item.start <= NIGHTS_MAX, 'nights')


def _item(found, op):
    item = Item()
    item.kind = _kind(found)
    item.pool = item.seats = None
    item.together = parsing.flag(found, 'together') and item.kind == 'section'
    item.rate = parsing.text(found, 'rate', 64, minimum=1)
    item.quantity = parsing.integer(found, 'quantity', 1, UNITS_MAX)
    _choice(item, found, op)
    item.members = _members(item, found, op)
    if item.kind == 'seats':
        unless(op in ITEM['seats']['only'], 'seats: of a probe')
        item.seats = parsing.names(found, 'seats', UNITS_MAX)
        unless(item.seats, 'seats: none')
        unless(len(set(item.seats)) == len(item.seats), 'seats: twice')
        unless(item.quantity in (None, len(item.seats)), 'quantity: not the seats named')
        item.quantity = len(item.seats)
    else:
        _counted(item, found, op)
    _nights(item, found)
    return item


def read(found, op):
    """The items of a request of that op."""
    listed = parsing.objects(found, 'items')
    unless(len(listed) <= ITEMS_MAX, 'items: too many')
    items = [_item(one, op) for one in listed]
    unless(sum(item.units() for item in items) <= UNITS_MAX, 'items: too many units')
    unless(sum(bool(needs) for item in items for _quantity, _rate, needs in item.members) <= NEEDS_MAX, 'items: too many needs')
    named = [seat for item in items for seat in item.seats or ()]
    unless(len(named) == len(set(named)), 'items: a seat twice')
    return items
