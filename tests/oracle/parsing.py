"""Reads JSON strictly, and single fields of it. Knows no message."""

import collections
import datetime
import json
import re

DEPTH_MAX = 16
SIZE_MAX = 1000000

ID = re.compile(r'[A-Za-z0-9_.:-]{1,64}\Z')
LABEL = re.compile(r'[^\x00-\x1f\x7f-\x9f"\\]*\Z')
# The same without what is not seen: marks of direction, separators of lines, characters of no width but the joiners.
PLAIN = re.compile(r'[^\x00-\x1f\x7f-\x9f"\\\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]*\Z')
DATE = re.compile(r'\d{4}-\d\d-\d\d\Z')
INSTANT = re.compile(r'(\d{4}-\d\d-\d\d)[Tt](\d\d):(\d\d):(\d\d)(\.\d+)?[Zz]\Z')
EPOCH = datetime.date(1970, 1, 1)


class Malformed(Exception):
    """Not a request to carry out. `fields` holds what could be read of it for the answer's envelope."""

    def __init__(self, why, reason='malformed', fields=None):
        super().__init__(why)
        self.reason, self.fields = reason, fields or {}


def unless(condition, why):
    if not condition:
        raise Malformed(why)


# ---- JSON ---------------------------------------------------------------------------------------------------
def _object(pairs):
    result = dict(pairs)
    unless(len(result) == len(pairs), 'duplicate key')
    return result


def _integer(text_of_it):
    unless(len(text_of_it) <= 20 and -2**63 <= int(text_of_it) < 2**63, 'number too large')
    return int(text_of_it)


def _real(text_of_it):
    value = float(text_of_it)
    unless(abs(value) != float('inf'), 'number too large')
    return value


def _constant(_text):
    raise Malformed('not a number')


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_int=_integer, parse_float=_real,
                            parse_constant=_constant)


def _depth(json_text):
    deepest = depth = 0
    for bracket in re.sub(r'"(?:[^"\\]|\\.)*"|[^\[\]{}"]', '', json_text):
        depth += 1 if bracket in '[{' else -1
        deepest = max(deepest, depth)
    return deepest


def _is_framed(value):
    """As a serializer of a schema registry does it."""
    return value[:1] == b'\0' and value[5:].lstrip(b' \t\r\n')[:1] == b'{'


def parse(value):
    """The JSON object in `value` (bytes), strictly."""
    unless(value is not None, 'no value')
    if _is_framed(value):
        value = value[5:]
    try:
        written = value.decode('utf-8')
        if written.count('[') + written.count('{') > DEPTH_MAX:
            unless(_depth(written) <= DEPTH_MAX, 'nested too deep')
        found = _DECODER.decode(written)
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise Malformed(str(error)) from None
    unless(isinstance(found, dict), 'not an object')
    if '\\u' in written:
        # Escapes can smuggle in what UTF-8 forbids, and a zero byte that no text of C can hold.
        flat = json.dumps(found, ensure_ascii=False)
        unless(not any(0xD800 <= ord(character) < 0xE000 for character in flat), 'lone surrogate')
        unless('\\u0000' not in flat, 'zero byte')
    return found


def canonical(value):
    """JSON without white space, keys sorted."""
    return json.dumps(value, ensure_ascii=False, separators=(',', ':'), sort_keys=True)


# ---- what can be read of the rest ----------------------------------------------------------------------------
def _without_repeats(pairs):
    times = collections.Counter(name for name, _value in pairs)
    return {name: value for name, value in pairs if times[name] == 1}


_LENIENT = json.JSONDecoder(object_pairs_hook=_without_repeats, parse_int=str, parse_float=str,
                            parse_constant=_constant)
_BLANK = re.compile(rb'[ \t\r\n]*')
_QUOTED = re.compile(rb'[ \t\r\n]*("(?:[^"\\]|\\.)*")', re.DOTALL)
_OTHER = re.compile(rb'"(?:[^"\\]|\\.)*"|[^"]', re.DOTALL)


def _behind(value, at):
    """Where a value ends that is no string; None: it does not."""
    depth = 0
    while at < len(value):
        if depth == 0 and value[at] in b',}]':
            return at
        found = _OTHER.match(value, at)
        if not found:
            return None
        depth = max(0, depth + (found[0] in (b'{', b'[')) - (found[0] in (b'}', b']')))
        at = found.end()
    return None


def _literal(quoted):
    """The text of a string that has no escapes; None: it has, or is no text."""
    try:
        written = quoted[1:-1].decode('utf-8')
    except UnicodeDecodeError:
        return None
    return None if '\\' in written or any(character < ' ' for character in written) else written


def _members(value, names):
    """(name, text) of the outermost object, up to the first byte that fits nowhere."""
    at = _BLANK.match(value).end()
    more = value[at:at + 1] == b'{'
    at += 1
    while more:
        key = _QUOTED.match(value, at)
        at = key and _BLANK.match(value, key.end()).end()
        if not key or value[at:at + 1] != b':':
            return
        found = _QUOTED.match(value, at + 1)
        name, text_of_it = _literal(key[1]), found and _literal(found[1])
        if name in names and text_of_it is not None:
            yield name, text_of_it
        at = found.end() if found else _behind(value, _BLANK.match(value, at + 1).end())
        at = None if at is None else _BLANK.match(value, at).end()
        more = at is not None and value[at:at + 1] == b','
        at = more and at + 1


def salvaged(value, names):
    """Those of the members that can be read of a value that is no request. What comes twice is left out: of JSON with
    too large numbers, a key twice, a zero byte or too deep all can be read, of what is no JSON what comes before."""
    value = value or b''
    if len(value) <= SIZE_MAX:
        try:
            written = (value[5:] if _is_framed(value) else value).decode('utf-8')
            found = _LENIENT.decode(written)
            json.dumps(found, ensure_ascii=False).encode()  # a lone surrogate
            return found if isinstance(found, dict) else {}
        except (UnicodeError, json.JSONDecodeError, RecursionError, Malformed):
            value = value[5:] if _is_framed(value) else value
    return _without_repeats(list(_members(value[:SIZE_MAX], names)))


# ---- single fields ------------------------------------------------------------------------------------------
def text(found, name, maximum, pattern=PLAIN, minimum=0):
    value = found.get(name)
    if value is None:
        return None
    return text_itself(value, name, maximum, pattern, minimum)


def text_itself(value, name, maximum, pattern=PLAIN, minimum=0):
    unless(isinstance(value, str), f'{name}: not a string')
    unless(minimum <= len(value.encode()) <= maximum, f'{name}: length')
    unless(pattern is None or pattern.match(value), f'{name}: characters')
    return value


def name_of(found, field, maximum=64):
    """The name of a pool."""
    value = text(found, field, maximum, minimum=1)
    unless(value is None or '/' not in value, f'{field}: slash')
    return value


def integer(found, name, minimum, maximum):
    value = found.get(name)
    return None if value is None else integer_itself(value, name, minimum, maximum)


def integer_itself(value, name, minimum, maximum):
    unless(type(value) is int, f'{name}: not an integer')
    unless(minimum <= value <= maximum, f'{name}: out of bounds')
    return value


def flag(found, name):
    value = found.get(name)
    unless(value is None or isinstance(value, bool), f'{name}: not a boolean')
    return bool(value)


def flag_or_none(found, name):
    return None if found.get(name) is None else flag(found, name)


def an_object(found, name):
    """The object of that name, or None."""
    value = found.get(name)
    unless(value is None or isinstance(value, dict), f'{name}: not an object')
    return value


def listed(found, name):
    """The list of that name, or None."""
    value = found.get(name)
    unless(value is None or isinstance(value, list), f'{name}: not a list')
    return value


def objects(found, name):
    value = listed(found, name) or []
    unless(all(isinstance(one, dict) for one in value), f'{name}: not objects')
    return value


def names(found, name, maximum, pool=False):
    """A list of at most this many names, or None; `pool`: of pools."""
    value = listed(found, name)
    if value is None:
        return None
    unless(len(value) <= maximum, f'{name}: too many')
    read = tuple(text_itself(one, name, 64, minimum=1) for one in value)
    unless(not pool or not any('/' in one for one in read), f'{name}: slash')
    return read


# ---- times --------------------------------------------------------------------------------------------------
def night(found, name):
    """The day, counted from 1970-01-01."""
    value = text(found, name, 10)
    if value is None:
        return None
    unless(DATE.match(value), f'{name}: not a date')
    try:
        day = (datetime.date.fromisoformat(value) - EPOCH).days
    except ValueError:
        raise Malformed(f'{name}: no such day') from None
    unless(day >= 0, f'{name}: before 1970')
    return day


def night_name(day):
    return (EPOCH + datetime.timedelta(days=day)).isoformat()


def instant_of(value):
    """Milliseconds since 1970 of an RFC 3339 instant in UTC, or None."""
    match = INSTANT.match(value)
    if not match:
        return None
    date, hour, minute, second, fraction = match.groups()
    try:
        day = (datetime.date.fromisoformat(date) - EPOCH).days
    except ValueError:
        return None
    if int(hour) > 23 or int(minute) > 59 or int(second) > 59:
        return None
    milliseconds = int(((fraction or '.0')[1:] + '00')[:3])
    return ((day * 24 + int(hour)) * 60 + int(minute)) * 60000 + int(second) * 1000 + milliseconds


def instant(found, name):
    value = text(found, name, 64, pattern=None)
    if value is None:
        return None
    milliseconds = instant_of(value)
    unless(milliseconds is not None and milliseconds > 0, f'{name}: not an instant, or none that can be meant')
    return milliseconds


def instant_text(milliseconds):
    moment = datetime.datetime.fromtimestamp(milliseconds // 1000, datetime.timezone.utc)
    return f'{moment:%Y-%m-%dT%H:%M:%S}.{milliseconds % 1000:03d}Z'
