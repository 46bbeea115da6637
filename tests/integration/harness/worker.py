"""One usher-worker process: started, asked how it is, stopped, killed, paused."""

import json
import os
import re
import signal
import subprocess
import urllib.error
import urllib.request

from .stack import clean_environment, free_port, program
from .waiting import PATIENCE_S, eventually, pause

# Short sessions, so that a take-over takes a second.
QUICK = {'USHER_KAFKA_SESSION_TIMEOUT': '1s', 'USHER_KAFKA_HEARTBEAT': '200ms'}


class Worker:
    def __init__(self, name, environment, directory, arguments=(), binary='usher-worker'):
        self.name = name
        self.port = free_port()
        self.log_path = directory / f'{name}.log'
        self._log = open(self.log_path, 'ab')
        self.process = subprocess.Popen(
            [program(binary), 'run', *arguments],
            env=clean_environment(**{**QUICK, **environment, 'USHER_WORKER_NAME': name,
                                     'USHER_HTTP_LISTEN': f'127.0.0.1:{self.port}'}),
            stdin=subprocess.DEVNULL, stdout=self._log, stderr=self._log)

    # ---- how it is ----
    @property
    def pid(self):
        return self.process.pid

    def get(self, path):
        """(status, text) of its HTTP server; (0, reason) where there is none."""
        try:
            with urllib.request.urlopen(f'http://127.0.0.1:{self.port}{path}', timeout=10) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()
        except OSError as error:
            return 0, str(error)

    def ready(self):
        if self.process.poll() is not None:
            raise RuntimeError(f'{self.name} ended with {self.process.returncode}:\n{self.tail()}')
        return self.get('/readyz')[0] == 200

    def await_ready(self):
        eventually(self.ready, f'{self.name} is ready; {self.log_path}')
        return self

    def page(self, path):
        """The text of a page, which it must have; an assertion that fails is no more than not yet to `eventually`."""
        status, text = self.get(path)
        assert status == 200, f'{self.name} answers {path} with {status}: {text}'
        return text

    def status(self):
        return json.loads(self.page('/status'))

    def owns(self, partition=0):
        """Whether it says that it is active on the partition."""
        return any(one['partition'] == partition and one['state'] == 'active' for one in self.status()['partitions'])

    def error(self, partition=0):
        """Why it says that the partition does not go on; '': it goes on, or is not this worker's."""
        return next((one['error'] for one in self.status()['partitions'] if one['partition'] == partition), None) or ''

    def metric(self, name, **labels):
        """The sum of a metric's samples that carry these labels."""
        total = 0.0
        for line in self.page('/metrics').splitlines():
            match = re.match(r'([a-z_]+)(\{.*\})? (\S+)$', line)
            if match and match[1] == name:
                if all(f'{label}="{value}"' in (match[2] or '') for label, value in labels.items()):
                    total += float(match[3])
        return total

    def log(self):
        return self.log_path.read_text(errors='replace')

    def tail(self):
        return '\n'.join(self.log().splitlines()[-30:])

    # ---- what is done to it ----
    def kill(self):
        self.process.kill()
        self.process.wait(PATIENCE_S)

    def pause(self):
        pause(self.process)

    def resume(self):
        self.process.send_signal(signal.SIGCONT)

    def terminate(self):
        self.process.terminate()

    def stop(self):
        """By TERM; returns its exit code."""
        if self.process.poll() is None:
            self.resume()
            self.terminate()
        return self.ended()

    def has_ended(self):
        """What /proc says of it is there until it is asked for its exit code."""
        return self.process.returncode is not None or \
            os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    def ended(self):
        try:
            return self.process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f'{self.name} did not end within {PATIENCE_S} s:\n{self.tail()}') from None

    def close(self):
        if self.process.poll() is None:
            self.kill()
        self._log.close()

    def complaints(self):
        """Lines of its log that no worker may write."""
        return [line for line in self.log().splitlines()
                if re.search(r'Sanitizer|runtime error:|Assertion|SUMMARY:', line)]
