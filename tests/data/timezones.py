#!/usr/bin/env python3
"""Makes timezones.txt, and the table of producer/codec/timezone.c, out of a release of the IANA database:

    pip download --no-deps tzdata && unzip tzdata-*.whl
    tests/data/timezones.py tzdata/zoneinfo tzdata/zones 2026f

A line: from when on, a rule as POSIX writes it, and the names of those that have it. A zone whose rules change has several."""

import collections
import datetime
import io
import pathlib
import re
import struct
import sys
import zoneinfo

HERE = pathlib.Path(__file__).parent
TABLE = HERE.parents[1] / 'producer' / 'codec' / 'timezone.c'
START = int(datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc).timestamp())
END = int(datetime.datetime(2036, 1, 1, tzinfo=datetime.timezone.utc).timestamp())
HOUR, ALWAYS = 3600, 0


def transitions(data):
    """The instants at which clocks change, as far as they are listed one by one."""
    def counts(at):
        return struct.unpack('>6I', data[at + 20:at + 44])
    utc, wall, leaps, times, types, letters = counts(0)
    at = 44 + times * 5 + types * 6 + letters + leaps * 8 + wall + utc
    return list(struct.unpack(f'>{counts(at)[3]}q', data[at + 44:at + 44 + 8 * counts(at)[3]]))


def zone_of(rule):
    """A zone that has nothing but a rule at its end."""
    def head(types, letters):
        return b'TZif2' + bytes(15) + struct.pack('>6I', 0, 0, 0, 0, types, letters)
    one_type = struct.pack('>iBB', 0, 0, 0) + b'UTC\0'
    return zoneinfo.ZoneInfo.from_file(io.BytesIO(head(1, 4) + one_type + head(1, 4) + one_type + f'\n{rule}\n'.encode()))


def offset(zone, second):
    return int(datetime.datetime.fromtimestamp(second, zone).utcoffset().total_seconds())


def same(zone, rule, begin, end):
    other = zone_of(rule)
    return all(offset(zone, second) == offset(other, second) for second in range(begin, end, HOUR))


def fixed(seconds):
    """The rule of a place that never changes its clocks."""
    hours, minutes = divmod(abs(seconds) // 60, 60)
    text = f'{hours:02}{minutes:02}' if minutes else f'{hours:02}'
    return f'<{"-" if seconds < 0 else "+"}{text}>{"" if seconds <= 0 else "-"}{hours}{f":{minutes:02}" if minutes else ""}'


def segments(data, candidates):
    """(from when on, rule), in order."""
    rule = data.rstrip(b'\n').rsplit(b'\n', 1)[1].decode()
    zone = zoneinfo.ZoneInfo.from_file(io.BytesIO(data))
    listed = [second for second in transitions(data) if START < second < END]  # later ones are guessed anyway
    begins = START
    for second in reversed(listed):
        if not same(zone, rule, second - HOUR, second) or not same(zone, rule, begins_of(listed, second), second):
            begins = second
            break
    if begins == START:
        return [(ALWAYS, rule)]
    for other in candidates:
        if same(zone, other, START, begins):
            return [(ALWAYS, other), (begins, rule)]
    steps = [START, *[second for second in listed if second < begins]]
    return [(ALWAYS if second == START else second, fixed(offset(zone, second))) for second in steps] + [(begins, rule)]


def begins_of(listed, second):
    """The change before that one."""
    return max([START, *[other for other in listed if other < second]])


# ---- the table in C ----
def minutes(text, default=0):
    if not text:
        return default
    sign, text = (-1, text[1:]) if text[0] == '-' else (1, text.lstrip('+'))
    hours, _colon, rest = text.partition(':')
    return sign * (int(hours) * 60 + int(rest or 0))


def change(text):
    when, _slash, time = text.partition('/')
    return '{%s, %d}' % (when[1:].replace('.', ', '), minutes(time, 120))


def row(begins, rule, names):
    name = r'(?:<[^>]+>|[A-Za-z]+)'
    standard, summer, ahead, starts, ends = re.fullmatch(
        rf'{name}([-+0-9:]+)({name}([-+0-9:]*))?(?:,([^,]+),([^,]+))?', rule).groups()
    winter = -minutes(standard)
    warm = (-minutes(ahead) if ahead else winter + 60) if summer else winter
    changes = f'{change(starts)}, {change(ends)}' if summer else '{0}, {0}'
    return f'    {{{begins // 60}, {winter}, {warm}, {changes}, "{" ".join(names)}"}},\n'


def main(folder, zones, version):
    names = [name for name in pathlib.Path(zones).read_text().split() if name != 'Factory']
    files = {name: (pathlib.Path(folder) / name).read_bytes() for name in sorted(names)}
    ends = sorted({data.rstrip(b'\n').rsplit(b'\n', 1)[1].decode() for data in files.values()})
    former = [line.split()[1] for line in (HERE / 'timezones.txt').read_text().splitlines() if line[0] != '#']
    rules, known = collections.defaultdict(list), {}
    for name, data in files.items():
        if data not in known:
            known[data] = segments(data, list(dict.fromkeys([*ends, *former])))
        for begins, rule in known[data]:
            rules[begins, rule].append(name)
    lines = [f'# {version}\n']
    for (begins, rule), of_rule in sorted(rules.items(), key=lambda one: one[1][0]):
        instant = datetime.datetime.fromtimestamp(begins, datetime.timezone.utc).strftime('%Y-%m-%dT%H:%M:%SZ')
        lines += [f'{instant} {rule} {" ".join(of_rule[at:at + 8])}\n' for at in range(0, len(of_rule), 8)]
    (HERE / 'timezones.txt').write_text(''.join(lines))
    table = ''.join(row(begins, rule, of_rule) for (begins, rule), of_rule in sorted(
        rules.items(), key=lambda one: (one[0][0], one[1][0])))
    text = TABLE.read_text()
    text = re.sub(r'(timezone_rules\[\] = \{\n).*?(\n\};)', lambda found: found[1] + table.rstrip('\n') + found[2], text,
                  count=1, flags=re.S)
    text = re.sub(r'(timezone_release\[\] = ")[^"]*', lambda found: found[1] + version, text)
    TABLE.write_text(text)


if __name__ == '__main__':
    main(*sys.argv[1:])
