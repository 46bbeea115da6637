"""A real browser, headless: Chromium with its driver, as Debian packages them."""

import contextlib

from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By

from .waiting import PATIENCE_S, eventually

OPTIONS = ('--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run', '--disable-background-networking',
           '--disable-component-update', '--disable-sync', '--disable-extensions', '--host-resolver-rules=MAP rebound.example 127.0.0.1')
PHONE, DESK = (390, 844), (1360, 900)


class Browser:
    def __init__(self, directory):
        options = webdriver.ChromeOptions()
        for option in (*OPTIONS, f'--user-data-dir={directory}'):
            options.add_argument(option)
        options.set_capability('goog:loggingPrefs', {'browser': 'ALL'})
        self.driver = webdriver.Chrome(service=Service('/usr/bin/chromedriver'), options=options)
        self.driver.set_script_timeout(PATIENCE_S)
        self.size(*DESK)

    def size(self, width, height):
        self.driver.execute_cdp_cmd('Emulation.setDeviceMetricsOverride', {
            'width': width, 'height': height, 'deviceScaleFactor': 1, 'mobile': width < 600})

    def prefer(self, **features):
        """prefers_color_scheme='dark', …"""
        self.driver.execute_cdp_cmd('Emulation.setEmulatedMedia', {
            'features': [{'name': name.replace('_', '-'), 'value': value} for name, value in features.items()]})

    def send(self, **headers):
        """With each request from now on."""
        self.driver.execute_cdp_cmd('Network.enable', {})
        self.driver.execute_cdp_cmd('Network.setExtraHTTPHeaders', {'headers': headers})

    def open(self, address):
        self.driver.get('about:blank')
        self.driver.get(address)

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def texts(self, selector):
        """Of the elements that are shown; asked in one step, for they may be replaced meanwhile."""
        return self.run("return [...document.querySelectorAll(arguments[0])].filter(one => one.offsetParent !== null)"
                        ".map(one => one.innerText.trim())", selector)

    def text(self, selector):
        return (self.texts(selector) or [''])[0]

    def find(self, selector):
        return eventually(lambda: self.driver.find_elements(By.CSS_SELECTOR, selector), selector)[0]

    def _on(self, selector, act):
        """On an element that may be replaced meanwhile."""
        def done():
            with contextlib.suppress(StaleElementReferenceException):
                act(self.find(selector))
                return True
        eventually(done, f'{selector} stays')

    def click(self, selector):
        self._on(selector, lambda element: element.click())

    def press(self, selector, *keys):
        self._on(selector, lambda element: element.send_keys(*keys))

    def figure(self, name):
        return self.text(f'[data-figure={name}] dd').replace(',', '')

    def await_figures(self, **figures):
        expected = {name: str(value) for name, value in figures.items()}
        return eventually(lambda: {name: self.figure(name) for name in expected} == expected, f'the page shows {expected}')

    def violations(self, axe):
        """What a script of axe-core says of the page that is shown: names, roles, contrast, what the keyboard reaches."""
        self.run(axe.read_text())
        found = self.driver.execute_async_script('axe.run().then(({violations}) => arguments[0](violations))')
        return [(one['id'], one['impact'], one['nodes'][0]['html'][:200]) for one in found]

    def complaints(self):
        """Of the console; a request to anybody else is one, by the pages' policy."""
        return [entry['message'] for entry in self.driver.get_log('browser') if entry['level'] == 'SEVERE']

    def close(self):
        self.driver.quit()
