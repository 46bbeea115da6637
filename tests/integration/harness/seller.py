"""A process that sells carts by libusher (tests/integration/sell_carts.c), from its start to its end."""

import json
import signal
import subprocess

from .stack import clean_environment, program
from .waiting import PATIENCE_S


class Seller:
    """`breaks`: where it is killed or stopped, as that file says."""

    def __init__(self, realm, name='seller', breaks=''):
        self.process = subprocess.Popen(
            [program('tests/integration/sell_carts'), realm.brokers, realm.name, f'{realm.name}-{name}'],
            env=clean_environment(BREAK=breaks), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def write(self, *lines):
        self.process.stdin.write(''.join(f'{line}\n' for line in (*lines, 'go')))
        self.process.stdin.flush()

    def read(self):
        """The next result."""
        return json.loads(self.process.stdout.readline())

    def do_all(self, *lines):
        """Results of operations that are begun together, by cart."""
        self.write(*lines)
        return {result['cart']: result for result in [self.read() for _line in lines]}

    def do(self, line):
        self.write(line)
        return self.read()

    def end(self):
        """(exit code, results that are left, error) once there is nothing more to do. The last one counts its calls."""
        out, error = self.process.communicate(timeout=PATIENCE_S)
        return self.process.returncode, [json.loads(line) for line in out.splitlines()], error

    def resume(self):
        self.process.send_signal(signal.SIGCONT)


def take(cart, *lines, ttl_s=600, customer='c'):
    """Each line a resource, a section of it, and how many."""
    return f'take {cart} {customer} {ttl_s} ' + ' '.join(
        f'{resource}/{section}/{quantity}' for resource, section, quantity in lines)


def about(operation, cart, word='paid', customer='c'):
    """An operation on a cart that was taken; `word` is its payment, or its ttl."""
    return f'{operation} {cart["cart"]} {customer} {word} ' + ' '.join(
        f'{line["resource"]}/{line["booking"]}/{line["expires_ms"]}' for line in cart['lines'])
