"""One `usher-dashboard run` process, and streams of its events as a browser reads them."""

import http.client
import json
import signal
import subprocess
import urllib.parse

from contract import validate_dashboard

from .stack import clean_environment, free_port, program
from .waiting import PATIENCE_S, eventually


class Stream:
    """Server-sent events, one after the other; closed with close()."""

    def __init__(self, port, resource=None, **headers):
        query = f'?resource={urllib.parse.quote(resource)}' if resource else ''
        self._connection = http.client.HTTPConnection('127.0.0.1', port, timeout=PATIENCE_S)
        self._connection.request('GET', f'/api/changes{query}', headers={name.replace('_', '-'): value for name, value in headers.items()})
        self.answer = self._connection.getresponse()

    def next(self, *names):
        """(name, data, id) of the next event that has one of these names."""
        while True:
            event = {'id': None}
            for line in iter(lambda: self.answer.readline().decode().rstrip('\n'), ''):
                field, _, value = line.partition(': ')
                event[field] = value
            if 'event' not in event and 'retry' not in event:
                raise EOFError
            if 'event' in event:
                data = json.loads(event['data'])
                validate_dashboard('api/changes', data, event['event'])
                if event['event'] in names:
                    return event['event'], data, event['id']

    def close(self):
        self.answer.close()
        self._connection.close()


class Dashboard:
    def __init__(self, realm, *arguments, **settings):
        self.port = free_port()
        self.url = f'http://127.0.0.1:{self.port}/'
        self.log_path = realm.stack.worker_logs / f'{realm.name}-dashboard-{self.port}.log'
        self._log = open(self.log_path, 'ab')
        self.process = subprocess.Popen(
            [program('usher-dashboard'), 'run', *arguments],
            env=clean_environment(USHER_REDIS=realm.environment['USHER_REDIS'], USHER_REDIS_PREFIX=realm.name,
                                  USHER_DASHBOARD_LISTEN=f'127.0.0.1:{self.port}', **settings),
            stdin=subprocess.DEVNULL, stdout=self._log, stderr=self._log)
        self.streams = []
        eventually(lambda: self.get('readyz')[0] == 200, f'the dashboard is ready; {self.log_path}')

    def get(self, path, method='GET', **headers):
        """(status, text, headers); (0, reason, {}) where there is none."""
        status, body, sent = self.get_bytes(path, method, **headers)
        return status, body.decode(), sent

    def get_bytes(self, path, method='GET', **headers):
        connection = http.client.HTTPConnection('127.0.0.1', self.port, timeout=PATIENCE_S)
        try:
            connection.request(method, f'/{path}', headers={name.replace('_', '-'): value for name, value in headers.items()})
            answer = connection.getresponse()
            return answer.status, answer.read(), answer.headers
        except OSError as error:
            return 0, str(error).encode(), {}
        finally:
            connection.close()

    def json(self, path):
        status, text, _ = self.get(path)
        assert status == 200, text
        answer = json.loads(text)
        validate_dashboard(path, answer)
        return answer

    def resource(self, name, kind='resources'):
        return self.json(f'api/{kind}/{urllib.parse.quote(name, safe="")}')

    def row(self, name):
        """That of the overview; None: there is none."""
        return next((row for row in self.json('api/resources')['resources'] if row['resource'] == name), None)

    def stream(self, resource=None, **headers):
        self.streams.append(Stream(self.port, resource, **headers))
        return self.streams[-1]

    def metric(self, name):
        return next(float(line.split()[1]) for line in self.get('metrics')[1].splitlines() if line.split()[0] == name)

    def stop(self):
        """By TERM; returns its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE_S)

    def close(self):
        for stream in self.streams:
            stream.close()
        if self.process.poll() is None:
            assert self.stop() == 0, self.log_path.read_text()
        self._log.close()
