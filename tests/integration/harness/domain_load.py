"""A crowd that uses the whole domain: all operations with all of their fields (tests/support/random_requests.c). As with any
crowd, what it asks is a function of its seed, and what it gets is judged by the replay."""

import json
import subprocess

from .load import Crowd
from .stack import program

CUSTOMERS, SIZE = 12, 4


class DomainCrowd(Crowd):
    """`fairs`: so many times three resources, with another strategy each."""

    def __init__(self, realm, seed=1, pause_s=0.0, fairs=1):
        super().__init__(realm, seed, pause_s)
        self.resources = [f'fair:{number}' for number in range(3 * fairs)]
        words = seed, CUSTOMERS, SIZE, f'{self.client.new_id()}-', *self.resources
        self._asks = subprocess.Popen([program('tests/integration/ask_at_random'), *map(str, words)], stdout=subprocess.PIPE)
        self._definitions = [self._request() for _resource in self.resources]

    def define(self):
        for answer in self.client.ask_all(*self._definitions):
            assert answer['outcome'] == 'defined'
        return self

    def _request(self):
        return json.loads(self._asks.stdout.readline())

    def close(self):
        self._asks.stdout.close()
        self._asks.wait()

    def __exit__(self, *error):
        super().__exit__(*error)
        self.close()
