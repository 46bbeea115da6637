"""A real Prometheus with usher's alerts, which asks workers how they are every second."""

import json
import subprocess
import urllib.error
import urllib.parse
import urllib.request

import yaml

from .stack import TREE, free_port
from .waiting import eventually

RULE = TREE / 'deploy/monitoring/prometheusrule.yaml'


class Prometheus:
    def __init__(self, directory, workers):
        self.port = free_port()
        rules = directory / 'rules.yaml'
        rules.write_text(yaml.safe_dump(yaml.safe_load(RULE.read_text())['spec']))
        config = directory / 'prometheus.yaml'
        config.write_text(json.dumps({
            'global': {'scrape_interval': '1s', 'evaluation_interval': '1s'},
            'rule_files': [str(rules)],
            'scrape_configs': [{'job_name': 'usher', 'static_configs': [
                {'targets': [f'127.0.0.1:{worker.port}' for worker in workers]}]}]}))
        self.log_path = directory / 'prometheus.log'
        with open(self.log_path, 'wb') as log:
            self.process = subprocess.Popen(
                ['prometheus', f'--config.file={config}', f'--storage.tsdb.path={directory / "data"}',
                 f'--web.listen-address=127.0.0.1:{self.port}'], stdout=log, stderr=log)
        eventually(self._answers, f'Prometheus answers; {self.log_path}')

    def _answers(self):
        assert self.process.poll() is None, self.log_path.read_text()
        try:
            return self.query('vector(1)')
        except OSError:
            return None

    def get(self, path, **parameters):
        """The data of an answer of its API; a query that it cannot carry out fails with what it says."""
        url = f'http://127.0.0.1:{self.port}/api/v1/{path}?{urllib.parse.urlencode(parameters)}'
        try:
            with urllib.request.urlopen(url, timeout=30) as answer:
                return json.load(answer)['data']
        except urllib.error.HTTPError as error:
            raise AssertionError(f'{parameters}: {error.read().decode()}') from None

    def query(self, query):
        """[(labels, value)] of the series that are its result."""
        return [(series['metric'], float(series['value'][1])) for series in self.get('query', query=query)['result']]

    def rules(self):
        return [rule for group in self.get('rules')['groups'] for rule in group['rules']]

    def alerts(self):
        """The names of those that are pending or firing."""
        return {alert['labels']['alertname'] for alert in self.get('alerts')['alerts']}

    def close(self):
        self.process.kill()
        self.process.wait()
