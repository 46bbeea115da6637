"""Reads what a define says. Knows nothing of what the resource already has."""

import re

from typing import NamedTuple

from . import parsing, plans, timezones
from .inventory import Row
from .parsing import LABEL, canonical, integer, text, unless

CAPACITY_MAX = 10_000_000
PRICE_MAX = 10**12
TTL_MAX = 31_536_000
POOLS_MAX = 65535
RATES_MAX = 100
QUOTAS_MAX = 1000
GROUPS_MAX = 100
PROPERTIES_MAX = 1024
UNITS_MAX = 4000
ROW_SEATS_MAX = 10000
FEATURES_MAX = 100
RANK_MAX = 1_000_000
POSITION_MAX = 10_000_000
LIMIT_MAX = 20_000_000


# ---- rows ---------------------------------------------------------------------------------------------------
def _for_each_seat(found, name, seats, low, high):
    values = parsing.listed(found, name)
    if values is None:
        return None
    unless(len(values) == seats, f'{name}: not one for each seat')
    return tuple(parsing.integer_itself(value, name, low, high) for value in values)


def _names(found, name, seats):
    names = parsing.names(found, name, ROW_SEATS_MAX)
    unless(names is None or len(names) == seats, f'{name}: not one for each seat')
    return names


def _features(found, seats):
    """Pairs of a name and the places that have it, from 0."""
    given = parsing.an_object(found, 'features') or {}
    unless(len(given) <= FEATURES_MAX, 'features: too many')
    features = []
    for name in sorted(given):
        parsing.text_itself(name, 'features', 64, minimum=1)
        places = parsing.listed(given, name)
        unless(places, 'features: no places')
        places = [parsing.integer_itself(place, 'features', 1, seats) - 1 for place in places]
        unless(len(set(places)) == len(places), 'features: a place twice')
        features.append((name, tuple(sorted(places))))
    return tuple(features)


def _row(found):
    name, seats = text(found, 'row', 64), integer(found, 'seats', 1, ROW_SEATS_MAX)
    first = integer(found, 'first', 0, 1_000_000)
    unless(name is not None and seats is not None, 'row or seats: missing')
    row = Row(name, seats, 1 if first is None else first, text(found, 'zone', 64, minimum=1), _names(found, 'names', seats),
              _for_each_seat(found, 'ranks', seats, 0, RANK_MAX),
              _for_each_seat(found, 'x', seats, -POSITION_MAX, POSITION_MAX),
              _for_each_seat(found, 'y', seats, -POSITION_MAX, POSITION_MAX), _features(found, seats),
              _names(found, 'numbers', seats))
    unless((row.x is None) == (row.y is None), 'x and y')
    if not row.names:
        unless(name and len(f'{name}-{row.first + seats - 1}'.encode()) <= 64, 'row: seat names')
    return row


def rows(found):
    if found.get('rows') is None:
        return None
    read = [_row(one) for one in parsing.objects(found, 'rows')]
    unless(read, 'rows: none')
    unless(sum(row.seats for row in read) <= CAPACITY_MAX, 'rows: too many seats')
    return read


# ---- pools --------------------------------------------------------------------------------------------------
def _rates(found):
    given = parsing.an_object(found, 'rates')
    if given is None:
        return None
    unless(given, 'rates: none')
    unless(len(given) <= RATES_MAX, 'rates: too many')
    unless(found.get('price') is None, 'price and rates')
    for name in given:
        parsing.text_itself(name, 'rates', 64, minimum=1)
    return [(name, parsing.integer_itself(price, 'rates', 0, PRICE_MAX)) for name, price in given.items()]


def _pool(found, kind):
    pool = {'name': parsing.name_of(found, kind), 'price': integer(found, 'price', 0, PRICE_MAX),
            'rates': _rates(found), 'capacity': integer(found, 'capacity', 0, CAPACITY_MAX),
            'overbook': integer(found, 'overbook', 0, CAPACITY_MAX)}
    unless(pool['name'] is not None, f'{kind}: missing')
    unless((pool['capacity'] or 0) + (pool['overbook'] or 0) <= CAPACITY_MAX, 'overbook: too many units')
    return pool


def _section(found):
    section = _pool(found, 'section')
    section['rows'] = laid = rows(found)
    section['spare'] = None if found.get('spare') is None else parsing.flag(found, 'spare')
    if laid and section['capacity']:
        unless(section['capacity'] == sum(row.seats for row in laid), 'capacity: not the seats')
    return section


def _room(found):
    room = _pool(found, 'room')
    room['start'], room['end'] = parsing.night(found, 'from'), parsing.night(found, 'to')
    unless(room['start'] is not None and room['end'] is not None, 'from or to: missing')
    unless(0 < room['end'] - room['start'] <= POOLS_MAX, 'nights')
    return room


def _product(found):
    product = _pool(found, 'product')
    product['title'] = text(found, 'name', 256, LABEL)
    properties = parsing.an_object(found, 'properties')
    product['properties'] = None if properties is None else canonical(properties)
    unless(properties is None or len(product['properties'].encode()) <= PROPERTIES_MAX, 'properties: too large')
    return product


# ---- stay restrictions --------------------------------------------------------------------------------------
DAYS = ('mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun')
STAY_MAX = 366
NIGHTLY = ('min_stay_arrival', 'max_stay', 'min_stay_through')
CLOSING = ('closed_to_arrival', 'closed_to_departure', 'stop_sell')


def _restriction(found):
    """`dates`: days since 1970 that it is about. `rules`: those that are given; 0 or False removes one."""
    name, start, end = parsing.name_of(found, 'room'), parsing.night(found, 'from'), parsing.night(found, 'to')
    unless(None not in (name, start, end), 'room, from or to: missing')
    unless(0 < end - start <= POOLS_MAX, 'dates')
    days = parsing.names(found, 'days', 7)
    unless(days is None or days and set(days) <= set(DAYS), 'days')
    dates = [day for day in range(start, end) if days is None or DAYS[(day + 3) % 7] in days]
    unless(dates, 'days: none of them')
    rules = {rule: integer(found, rule, 0, STAY_MAX) for rule in NIGHTLY}
    rules |= {rule: parsing.flag_or_none(found, rule) for rule in CLOSING}
    return {'name': name, 'dates': dates, 'rate': text(found, 'rate', 64, minimum=1),
            'rules': {rule: value for rule, value in rules.items() if value is not None}}


# ---- terms --------------------------------------------------------------------------------------------------
def _limits(found):
    """What one request and one customer may have; {}: no limits."""
    given = parsing.an_object(found, 'limits')
    if given is None:
        return None
    limits = {'units_min': integer(given, 'units_min', 1, UNITS_MAX)}
    for name in ('units_per_request', 'units_per_customer', 'holds_per_customer'):
        limits[name] = integer(given, name, 1, LIMIT_MAX)
    for name in ('hold_total_s', 'house_hold_total_s'):
        limits[name] = integer(given, name, 1, TTL_MAX)
    for name in ('units_per_request', 'units_per_customer'):
        unless(None in (limits['units_min'], limits[name]) or limits['units_min'] <= limits[name], f'{name}: below units_min')
    groups = []
    for one in parsing.objects(given, 'groups'):
        pools, limit = parsing.names(one, 'pools', POOLS_MAX, pool=True), integer(one, 'limit', 0, LIMIT_MAX)
        unless(pools and limit is not None, 'groups: pools or limit missing')
        unless(len(set(pools)) == len(pools), 'groups: a pool twice')
        groups.append({'pools': list(pools), 'limit': limit})
    unless(len(groups) <= GROUPS_MAX, 'groups: too many')
    limits['groups'] = groups or None
    return {name: value for name, value in limits.items() if value is not None}


class Quota(NamedTuple):
    """`pools`: none removes it. With a `rate` only units of that rate count, until it closes; else None: as it was."""
    name: str
    pools: list
    limit: int | None
    rate: str | None = None
    closes_at: int | None = None


def _quotas(found):
    quotas = []
    for one in parsing.objects(found, 'quotas'):
        name = text(one, 'quota', 64, minimum=1)
        unless(name is not None, 'quota: missing')
        pools = parsing.names(one, 'pools', POOLS_MAX, pool=True)
        unless(pools is not None, 'pools: missing')
        unless(len(set(pools)) == len(pools), 'quotas: a pool twice')
        quotas.append(Quota(name, list(pools), integer(one, 'limit', 0, LIMIT_MAX), text(one, 'rate', 64, minimum=1),
                            parsing.instant(one, 'closes_at')))
    unless(len(quotas) <= QUOTAS_MAX, 'quotas: too many')
    names = [quota.name for quota in quotas]
    unless(len(set(names)) == len(names), 'a quota twice')
    return quotas


# ---- all of it ----------------------------------------------------------------------------------------------
TIMEZONE = re.compile(r'[A-Za-z][A-Za-z0-9_+/-]*\Z')
CURRENCY = re.compile(r'[A-Z]{3}\Z')
CURRENCIES = frozenset('''
    AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD
    CDF CHE CHF CHW CLF CLP CNY COP COU CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP
    GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK
    LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD OMR
    PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL
    THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD USN UYI UYU UYW UZS VED VES VND VUV WST XAD XAF XCD XCG XOF
    XPF YER ZAR ZMW ZWG
'''.split())
TEXTS = (('name', 256), ('venue', 256), ('description', 4096))
TIMES = ('starts_at', 'ends_at', 'opens_at', 'closes_at')
CHART = re.compile(r'sha256:[0-9a-f]{64}\Z')


def read(found):
    definition = {name: text(found, name, maximum, LABEL) for name, maximum in TEXTS}
    definition['timezone'] = text(found, 'timezone', 64, TIMEZONE)
    unless(definition['timezone'] is None or definition['timezone'] in timezones.rules(), 'timezone')
    definition['currency'] = text(found, 'currency', 3, CURRENCY)
    unless(definition['currency'] is None or definition['currency'] in CURRENCIES, 'currency')
    for name in TIMES:
        definition[name] = parsing.instant(found, name)
    definition['hold_ttl_s'] = integer(found, 'hold_ttl_s', 1, TTL_MAX)
    for name, allowed in (('state', ('draft', 'open', 'closed')), ('strategy', ('best', 'first', 'random'))):
        definition[name] = text(found, name, 64)
        unless(definition[name] in (None, *allowed), name)
    for kind, read_one in (('sections', _section), ('rooms', _room), ('products', _product)):
        definition[kind] = [read_one(one) for one in parsing.objects(found, kind)]
    definition['restrictions'] = [_restriction(one) for one in parsing.objects(found, 'restrictions')]
    definition['limits'], definition['quotas'] = _limits(found), _quotas(found)
    unless(None in (definition['opens_at'], definition['closes_at'])
           or definition['opens_at'] < definition['closes_at'], 'opens_at: not before closes_at')
    unless(None in (definition['starts_at'], definition['ends_at'])
           or definition['starts_at'] <= definition['ends_at'], 'starts_at: after ends_at')
    _layout(definition, found)
    _check_names(definition)
    return definition


def _layout(definition, found):
    """A plan becomes sections with rows, or the fault that it has."""
    definition['plan'], definition['chart'] = parsing.an_object(found, 'plan'), text(found, 'chart', 71, CHART)
    unless(definition['plan'] is None or definition['chart'] is None, 'plan and chart')
    definition['plan_sections'], definition['fault'] = [], None
    if definition['plan'] is not None:
        try:
            definition['plan_sections'] = plans.sections(definition['plan'])
        except plans.BadPlan as bad:
            definition['fault'] = str(bad)


def _check_names(definition):
    """One name is one pool; only a room type may come again, and a section of the plan, with its price."""
    sections = [pool['name'] for pool in definition['sections']]
    others = [pool['name'] for pool in definition['products']] + list({room['name'] for room in definition['rooms']})
    names = sections + others
    unless(len(names) == len(set(names)), 'a pool twice')
    unless(not set(others) & {name for name, _rows in definition['plan_sections']}, 'a pool twice')
