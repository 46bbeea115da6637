"""What the guides for operators say to do, as it stands there."""

import re
import shlex

from .stack import TREE

RECOVERY = 'deploy/recovery.md'


def _commands(heading):
    """The indented lines below it, in order."""
    section = (TREE / RECOVERY).read_text().split(f'\n## {heading}\n')[1].split('\n## ')[0]
    return re.findall(r'^ {4,}(\S*.*usher-(?:worker|producer) .*)$', section, re.M)


def carry_out(realm, heading, partitions, only=''):
    """All commands below a heading with these words in them, in order; one with a P for each of these partitions. Who stands
    in USHER_POSTGRES logs in as that role. Returns what each printed."""
    printed = []
    for line in (one for one in _commands(heading) if only in one):
        for number in partitions if re.search(r'\bP\b', line) else [None]:
            words = shlex.split(re.sub(r'\bP\b', str(number), line))
            role = re.match(r'USHER_POSTGRES=postgresql://(\w+)@', words[0])
            settings = {'USHER_POSTGRES': realm.uri(role[1])} if role else {}
            name, *arguments = words[1:] if role else words
            if any(word.startswith('accept-') for word in arguments):
                arguments.append('--yes')  # nobody is there to ask
            printed.append(realm.command(*arguments, name=name, **settings))
    return printed
