"""Time zones: which there are, and which date it is there, by the rules of `tests/data/timezones.txt`, whatever is
installed. As the worker has it: rules that follow one another."""

import datetime
import functools
import io
import pathlib
import struct
import zoneinfo

RULES = pathlib.Path(__file__).parents[1] / 'data' / 'timezones.txt'


@functools.cache
def rules():
    """name → [(from when on, its rule, as POSIX writes it)], in order."""
    found = {}
    for line in sorted(RULES.read_text().splitlines()[1:]):
        begins, rule, *names = line.split()
        for name in names:
            found.setdefault(name, []).append((datetime.datetime.fromisoformat(begins.replace('Z', '+00:00')).timestamp(), rule))
    return found


@functools.cache
def _zone(rule):
    """A file of a time zone that has nothing but a rule at its end."""
    def head(types, letters):
        return b'TZif2' + bytes(15) + struct.pack('>6I', 0, 0, 0, 0, types, letters)
    one_type = struct.pack('>iBB', 0, 0, 0) + b'UTC\0'
    return zoneinfo.ZoneInfo.from_file(io.BytesIO(head(1, 4) + one_type + head(1, 4) + one_type + f'\n{rule}\n'.encode()))


def _at(name, now):
    return _zone([rule for begins, rule in rules()[name] if begins * 1000 <= now or begins == 0][-1])


def date(name, now):
    """The date in a time zone at an instant in milliseconds."""
    return datetime.datetime.fromtimestamp(now / 1000, _at(name, now)).date().isoformat()


def end_of(name, day):
    """The instant in milliseconds at which a date, as text, is over in a time zone."""
    midnight = datetime.datetime.combine(datetime.date.fromisoformat(day) + datetime.timedelta(1), datetime.time())
    about = midnight.replace(tzinfo=datetime.timezone.utc).timestamp() * 1000
    zone = _at(name, about)
    return round(midnight.replace(tzinfo=zone).timestamp() * 1000)
