"""What a define does to a resource: merges it into an outline of its pools, judges that, and carries it out, or says
why not."""

import dataclasses
from collections import Counter
from datetime import date

from . import charts, staying
from .definitions import CAPACITY_MAX, POOLS_MAX, Quota
from .inventory import Pool
from .outcomes import Refused
from .parsing import night_name

FACTS = ('name', 'venue', 'description', 'timezone', 'currency', 'starts_at', 'ends_at')
FIELDS = ('state', 'hold_ttl_s', 'opens_at', 'closes_at', 'strategy')
UNITS_MAX = 20_000_000
CALENDAR_MAX = 250_000
RATE_POOLS_MAX = 4000  # whose units are counted by rate
EVER = 11  # times as many, those that were removed among them


@dataclasses.dataclass
class Outline:
    """What a pool is to be like. `pool`: what it is now; None: it is new. `units`: without those overbooked."""
    kind: str
    name: str
    night: str | None
    pool: Pool | None
    units: int = 0
    overbook: int = 0
    rows: list | None = None
    price: int = 0
    rates: list | None = None
    title: str | None = None
    properties: str | None = None
    rules: dict = dataclasses.field(default_factory=dict)  # of stay, by rate; None: of all rates
    spares: bool = True

    @classmethod
    def of(cls, pool):
        return cls(pool.kind, pool.name, pool.night, pool, pool.capacity - pool.overbook, pool.overbook, pool.rows,
                   pool.price, pool.rates, pool.title, pool.properties, pool.rules, pool.spares)

    def capacity(self):
        return self.units + self.overbook

    def set_units(self, asked):
        if asked.get('rows'):
            self.rows, self.units = asked['rows'], sum(row.seats for row in asked['rows'])
        elif asked['capacity'] is not None:
            self.rows, self.units = None, asked['capacity']
        if asked['overbook'] is not None:
            self.overbook = asked['overbook']
        if self.units == 0:  # removed
            self.overbook = 0

    def set_prices(self, asked):
        if asked['rates'] is not None:
            self.rates = list(asked['rates'])
            self.rules = {rate: rules for rate, rules in self.rules.items() if rate is None or self.has_rate(rate)}
        elif asked['price'] is not None and self.rates is not None:
            names = [name for name, _price in self.rates]
            if 'standard' in names:
                self.rates = [(name, asked['price'] if name == 'standard' else price) for name, price in self.rates]
            else:
                self.rates = [('standard', asked['price']), *self.rates]
        elif asked['price'] is not None:
            self.price = asked['price']

    def merge(self, asked):
        self.set_units(asked)
        self.set_prices(asked)
        for field in ('title', 'properties'):
            if asked.get(field) is not None:
                setattr(self, field, asked[field])
        if asked.get('spare') is not None:
            self.spares = asked['spare']

    def has_rate(self, name):
        return name in [rate for rate, _price in self.rates] if self.rates else name == 'standard'

    def restrict(self, rate, given):
        rules = {rule: value for rule, value in {**self.rules.get(rate, {}), **given}.items() if value}
        self.rules = {**{one: had for one, had in self.rules.items() if one != rate}, **({rate: rules} if rules else {})}

    def labels(self):
        return [label for row in self.rows or () for label in row.labels()]

    def in_the_way(self, overbook):
        """Whether units that are taken would change or go. The house may leave fewer than are taken, but not none; what is
        short already is not in the way."""
        pool = self.pool
        if pool is None or not pool.owners:
            return False
        if not self.rows and not pool.rows:
            short = self.capacity() < min(len(pool.owners), pool.capacity)
            return short and not (overbook and self.capacity())
        labels = self.labels()
        return any(unit >= len(labels) or not pool.rows or labels[unit] != pool.seats[unit] for unit in pool.owners)


class Merge:
    """A define in the making. `faults`: the reasons against it."""

    def __init__(self, resource):
        self.resource, self.faults = resource, set()
        self.named = {name: Outline.of(pool) for name, pool in resource.named.items()}
        self.rooms = {}  # (name, night), only those that are touched
        self.limits, self.quotas = resource.limits, dict(resource.all_quotas)

    def _kind_of(self, name):
        if name in self.resource.rooms or any(name == room for room, _night in self.rooms):
            return 'room'
        return self.named[name].kind if name in self.named else None

    def pool(self, kind, asked):
        """Merges a section or a product."""
        if self._kind_of(asked['name']) not in (None, kind):
            self.faults.add('bad_chart')
            return
        outline = self.named.get(asked['name'])
        if outline is None:
            if asked['capacity'] is None and not asked.get('rows'):
                self.faults.add('bad_chart')
                return
            if asked['capacity'] == 0 and not asked.get('rows'):
                return
            outline = self.named[asked['name']] = Outline(kind, asked['name'], None, None)
        outline.merge(asked)
        if outline.rows and outline.overbook:
            self.faults.add('bad_chart')

    def _night(self, name, night):
        key = (name, night)
        if key not in self.rooms:
            pool = self.resource.rooms.get(name, {}).get(night)
            if pool is None:
                return None
            self.rooms[key] = Outline.of(pool)
        return self.rooms[key]

    def room(self, asked):
        if asked['name'] in self.named:
            self.faults.add('bad_chart')
            return
        for day in range(asked['start'], asked['end']):
            outline = self._night(asked['name'], night_name(day))
            if outline is None:
                if asked['capacity'] == 0:
                    continue
                if asked['capacity'] is None:
                    self.faults.add('bad_chart')
                    return
                outline = Outline('room', asked['name'], night_name(day), None)
                self.rooms[asked['name'], night_name(day)] = outline
            outline.merge(asked)

    def restrictions(self, definition):
        touched = []
        for asked in definition['restrictions']:
            for day in asked['dates']:
                outline = None if asked['name'] in self.named else self._night(asked['name'], night_name(day))
                if outline is None or asked['rate'] is not None and not outline.has_rate(asked['rate']):
                    self.faults.add('bad_chart')
                    return
                outline.restrict(asked['rate'], asked['rules'])
                touched.append(outline)
        if any(staying.contradict(outline.rules) for outline in touched):
            self.faults.add('bad_chart')

    def terms(self, definition):
        if definition['limits'] is not None:
            self.limits = definition['limits'] or None
        for quota in definition['quotas']:
            if not quota.pools:
                self.quotas.pop(quota.name, None)
                continue
            was = self.quotas.get(quota.name, Quota(quota.name, [], None))
            whole = Quota(quota.name, quota.pools, *(old if new is None else new for old, new in zip(was[2:], quota[2:])))
            if whole.closes_at is not None and whole.rate is None or (whole.limit, whole.closes_at) == (None, None):
                self.faults.add('bad_chart')
            else:
                self.quotas[quota.name] = whole
        named = [name for quota in self.quotas.values() for name in quota.pools]
        named += [name for group in (self.limits or {}).get('groups', ()) for name in group['pools']]
        if any(self._kind_of(name) is None for name in named) or (definition['limits'] and self._asks_too_much()):
            self.faults.add('bad_chart')

    # ---- quotas of rates ----
    def rates(self, definition):
        """What is wrong with the quotas of rates. Their pools count from now on."""
        quotas = [quota for quota in self.quotas.values() if quota.rate is not None]
        given = [quota.name for quota in definition['quotas']]
        opens = self.resource.opens_at if definition['opens_at'] is None else definition['opens_at']
        for quota in quotas:
            kinds = {self._kind_of(name) == 'room' for name in quota.pools}
            if quota.name in given and (len(kinds) > 1 or not self._is_sold(quota)):
                return 'bad_chart'
            if None not in (opens, quota.closes_at) and opens >= quota.closes_at:
                return 'bad_chart'
        if any(self._is_used(quota) for quota in quotas):
            return 'in_use'
        names = {name for quota in quotas for name in quota.pools}
        new = sum(outline.pool is None and outline.name in names for outline in self.outlines())
        counting = sum(pool.counts_rates or pool.name in names for pool in self.resource.pools) + new
        return 'limit_exceeded' if quotas and counting > RATE_POOLS_MAX else None

    def _is_sold(self, quota):
        """Whether some pool has the rate, whatever its capacity."""
        touched = [outline for outline in self.outlines() if outline.name in quota.pools]
        changed = {id(outline.pool) for outline in touched}
        rates = [outline.rates for outline in touched]
        rates += [pool.rates for pool in self.resource.pools if pool.name in quota.pools and id(pool) not in changed]
        return any(quota.rate in ([name for name, _price in some] if some else ['standard']) for some in rates)

    def _is_used(self, quota):
        """Whether units were sold before anybody counted them, or more of them than a new limit allows."""
        pools = [pool for pool in self.resource.pools if pool.name in quota.pools]
        if any(not pool.counts_rates and (pool.counts['held'] or pool.counts['confirmed']) for pool in pools):
            return True
        was = self.resource.all_quotas.get(quota.name)
        limit = float('inf') if quota.limit is None else quota.limit
        if was and (was.rate, was.pools) == (quota.rate, quota.pools) and (was.limit is None and limit == float('inf')
                                                                         or was.limit is not None and limit >= was.limit):
            return False
        used = Counter()
        for pool in pools:
            used[pool.night] += pool.at_rate[quota.rate]
        return any(units > limit for units in used.values())

    def _asks_too_much(self):
        """Whether some group of limits leaves no customer the least that a request must ask for, whatever it asks for."""
        on_sale = {outline.name for outline in self.outlines() if outline.capacity() > 0}
        changed = {id(outline.pool) for outline in self.outlines()}
        on_sale |= {pool.name for pool in self.resource.pools if pool.capacity > 0 and id(pool) not in changed}
        least = self.limits.get('units_min') or 0
        return bool(on_sale) and any(group['limit'] < least and on_sale <= set(group['pools'])
                                     for group in self.limits.get('groups') or ())

    # ---- the whole ----
    def outlines(self):
        return [*self.named.values(), *self.rooms.values()]

    def _changes_money(self, currency):
        """Whether what is sold would be told in another currency."""
        was = self.resource.facts.get('currency')
        return None not in (was, currency) and was != currency and any(pool.owners for pool in self.resource.pools)

    def _nights(self, removed):
        """Nights from the first to the last of each room type; of those that were removed, too, or not."""
        nights = {}
        for name, pools in self.resource.rooms.items():
            nights[name] = {night for night, pool in pools.items() if removed or pool.capacity > 0}
        for (name, night), outline in self.rooms.items():
            some = nights.setdefault(name, set())
            (some.add if removed or outline.capacity() > 0 else some.discard)(night)
        return sum((date.fromisoformat(max(some)) - date.fromisoformat(min(some))).days + 1 for some in nights.values() if some)

    def _on_sale(self):
        """How many pools there are then, without those that were removed."""
        changed = {id(outline.pool) for outline in self.outlines() if outline.pool is not None}
        return (sum(outline.capacity() > 0 for outline in self.outlines())
                + sum(pool.capacity > 0 for pool in self.resource.pools if id(pool) not in changed))

    def _times_clash(self, definition):
        """Whether its times are out of order, in whichever define they came."""
        def time(name, had):
            return had if definition[name] is None else definition[name]
        starts, ends = (time(name, self.resource.facts.get(name)) for name in ('starts_at', 'ends_at'))
        opens, closes = (time(name, getattr(self.resource, name)) for name in ('opens_at', 'closes_at'))
        wrong = [first >= second for first, second in ((opens, closes), (opens, ends)) if None not in (first, second)]
        wrong += [first > second for first, second in ((closes, ends), (starts, ends)) if None not in (first, second)]
        return any(wrong)

    def judge(self, definition, overbook):
        if self._times_clash(definition):
            self.faults.add('bad_chart')
        labels = [label for outline in self.named.values() for label in outline.labels()]
        if len(labels) != len(set(labels)):
            self.faults.add('bad_chart')
        if any(outline.in_the_way(overbook) for outline in self.outlines()) or self.resource.cancelling is not None:
            self.faults.add('in_use')
        if self._changes_money(definition['currency']):
            self.faults.add('in_use')
        new = [outline for outline in self.outlines() if outline.pool is None]
        changes = sum(outline.capacity() - (outline.pool.capacity if outline.pool else 0)
                      for outline in self.outlines())
        if max(len(new), self._on_sale()) > POOLS_MAX or self.resource.total + changes > UNITS_MAX:
            self.faults.add('limit_exceeded')
        if any(outline.capacity() > CAPACITY_MAX for outline in self.outlines()):
            self.faults.add('limit_exceeded')
        if len(self.resource.pools) + len(new) > EVER * POOLS_MAX:
            self.faults.add('limit_exceeded')
        if self.rooms and (self._nights(False) > CALENDAR_MAX or self._nights(True) > EVER * CALENDAR_MAX):
            self.faults.add('limit_exceeded')
        if 'bad_chart' not in self.faults:
            self.faults.add(self.rates(definition))
        for reason in ('bad_chart', 'in_use', 'limit_exceeded'):
            if reason in self.faults:
                raise Refused(reason)


def section_of(name, rows):
    """What a plan or a chart says of a section."""
    return {'name': name, 'rows': rows, 'capacity': None, 'overbook': None, 'price': None, 'rates': None}


def merged(resource, definition, known_charts, overbook):
    """The Merge of a definition, judged; or Refused."""
    merge = Merge(resource)
    if definition['fault'] is not None:
        raise Refused('bad_chart')
    # What the rest lacks cannot be told without the layout.
    if definition['chart'] is not None and definition['chart'] not in known_charts:
        raise Refused('unknown_chart')
    for name, rows in known_charts.get(definition['chart'], definition['plan_sections']):
        merge.pool('section', section_of(name, rows))
    for asked in definition['sections']:
        merge.pool('section', asked)
    for asked in definition['rooms']:
        merge.room(asked)
    for asked in definition['products']:
        merge.pool('product', asked)
    merge.restrictions(definition)
    merge.terms(definition)
    merge.judge(definition, overbook)
    return merge


# ---- carrying it out ----------------------------------------------------------------------------------------
def _carry_out(resource, outline):
    pool = outline.pool
    if pool is None:
        pool = Pool(outline.kind, outline.name, outline.night)
        resource.pools.append(pool)
        if outline.kind == 'room':
            resource.rooms.setdefault(outline.name, {})[outline.night] = pool
        else:
            resource.named[outline.name] = pool
    if (outline.capacity(), outline.rows) != (pool.capacity, pool.rows):
        resource.total += outline.capacity() - pool.capacity
        pool.layout(outline.capacity(), outline.rows)
        resource.note_over(pool)
    pool.overbook, pool.price, pool.rates = outline.overbook, outline.price, outline.rates
    pool.title, pool.properties, pool.rules = outline.title, outline.properties, outline.rules
    pool.spares = outline.spares


def differs(merge, definition):
    """Whether the resource would not be as it was."""
    resource = merge.resource
    return (any(definition[fact] not in (None, resource.facts.get(fact)) for fact in FACTS)
            or any(definition[field] not in (None, getattr(resource, field)) for field in FIELDS)
            or any(outline.pool is None or outline != Outline.of(outline.pool) for outline in merge.outlines())
            or (merge.limits, merge.quotas) != (resource.limits, resource.all_quotas))


def apply(merge, definition):
    resource = merge.resource
    for fact in FACTS:
        if definition[fact] is not None:
            resource.facts[fact] = definition[fact]
    for field in FIELDS:
        if definition[field] is not None:
            setattr(resource, field, definition[field])
    for outline in merge.outlines():
        _carry_out(resource, outline)
    resource.limits = merge.limits
    resource.set_quotas(merge.quotas)
    for pool in resource.pools:
        pool.counts_rates = pool.counts_rates or any(pool.name in quota.pools for quota in resource.rate_quotas)


def define(resource, definition, known_charts, overbook=False):
    """Changes the resource; returns the name of its chart, or None, and whether it is another than before."""
    merge = merged(resource, definition, known_charts, overbook)
    changes = differs(merge, definition)
    apply(merge, definition)
    name = charts.name_of(resource)
    if name is not None:
        known_charts[name] = [(pool.name, pool.rows) for pool in resource.charted()]
    return name, changes
