"""The dashboard's pages in a real browser, on the real stack."""

import datetime
import zoneinfo

import pytest
from selenium.webdriver.common.keys import Keys

from harness.browser import DESK, PHONE, Browser
from harness.dashboard import Dashboard
from harness.moments import soon
from harness.plans import plan, row, seat, zone
from harness.shows import HALL, HALL_UNITS, HOTEL, pieces, places, seated, seats, stay
from harness.stack import BUILD
from harness.waiting import eventually

pytestmark = pytest.mark.whole

AXE = BUILD / 'examples/axe/node_modules/axe-core/axe.min.js'


@pytest.fixture(scope='module')
def one_browser(tmp_path_factory):
    browser = Browser(tmp_path_factory.mktemp('browser'))
    yield browser
    browser.close()


@pytest.fixture
def browser(one_browser):
    """Nothing may complain in any test."""
    one_browser.size(*DESK)
    one_browser.complaints()
    yield one_browser
    one_browser.open('about:blank')
    assert one_browser.complaints() == []


@pytest.fixture
def make_dashboard():
    made = []

    def make(realm, **settings):
        made.append(Dashboard(realm, **settings))
        return made[-1]
    yield make
    for dashboard in made:
        dashboard.close()


@pytest.fixture
def dashboard(world, make_dashboard):
    return make_dashboard(world)


def address(dashboard, resource, page='resource'):
    return f'{dashboard.url}#/{page}/{resource.replace(":", "%3A")}'


def test_from_the_overview_to_a_seat(ask, name, dashboard, browser):
    """By keyboard alone: found as one types, opened, a seat asked for; a sale is seen on both pages without a reload."""
    show = name()
    ask('define', show, **{**HALL, 'name': f'The play {show}'})
    browser.open(dashboard.url)
    browser.press('input[type=search]', show)
    eventually(lambda: [show in text and f'{HALL_UNITS} free' in text for text in browser.texts('.row')] == [True], 'the show is found, alone')
    ask('book', show, customer='c', items=seats('A-1', 'A-2'))
    eventually(lambda: f'{HALL_UNITS - 2} free' in browser.text('.row'), 'the row follows')
    browser.press('.row', Keys.ENTER)
    browser.await_figures(free=HALL_UNITS - 2, sold=2, held=0, blocked=0)
    assert browser.text('h1') == f'The play {show}'
    canvas = browser.find('canvas.picture')
    canvas.send_keys(Keys.ARROW_RIGHT)
    eventually(lambda: browser.text('.tip').startswith('A-1\nSold'), 'the first seat says that it is sold')
    canvas.send_keys(Keys.ARROW_DOWN, Keys.ARROW_DOWN)
    before = eventually(lambda: browser.text('.tip'))
    assert 'Free' in before and 'row C' in before and '€45.00' in before
    ask('hold', show, customer='c', items=seats(before.split('\n')[0]))
    eventually(lambda: '\nHeld' in browser.text('.tip'), 'the seat turns while it is looked at')
    browser.await_figures(free=HALL_UNITS - 3, held=1)
    browser.run('history.back()')
    eventually(lambda: browser.texts('.row') and browser.run('return document.querySelector("input[type=search]").value') == show, 'back finds it as it was')


def test_a_drawn_plan(ask, name, dashboard, browser):
    show = name()
    ask('define', show, plan=plan(zone('Stalls', [row('A', [seat(f'A-{number}', str(number), 'best', 30 * number) for number in range(1, 9)])])),
        state='open', currency='EUR', sections=[{'section': 'best', 'price': 100}, {'section': 'floor', 'price': 50, 'capacity': 40}])
    browser.open(address(dashboard, show))
    browser.await_figures(free=48)
    ask('block', show, items=seats('A-8'))
    browser.await_figures(free=47, blocked=1)
    assert len(browser.texts('.stock li')) == 2
    # Blocked, as it is drawn: nothing of the seat's own colour.
    browser.press('canvas.picture', Keys.ARROW_RIGHT, *[Keys.ARROW_RIGHT] * 7)
    eventually(lambda: browser.text('.tip').startswith('A-8\nBlocked'))


def test_a_section_that_is_added_to_a_drawn_plan(ask, name, dashboard, browser):
    """What has a place keeps it; what has none is below it, under its name, and can be asked for."""
    show = name()
    drawn = plan(zone('Stalls', [row(letter, [seat(f'{letter}-{number}', str(number), 'best', 30 * number) for number in range(1, 13)], y=30 * line) for line, letter in enumerate('ABC')]))
    ask('define', show, plan=drawn, state='open', currency='EUR', sections=[{'section': 'best', 'price': 100}, {'section': 'floor', 'price': 50, 'capacity': 40}])
    where = """
        return [await import(new URL('hall.js', document.baseURI)), await import(new URL('picture.js', document.baseURI))].length && (async () => {
          const {survey} = await import(new URL('hall.js', document.baseURI)), {Picture} = await import(new URL('picture.js', document.baseURI));
          const fields = await (await fetch('api/resources/' + encodeURIComponent(arguments[0]))).json();
          const layout = await (await fetch('api/layouts/' + fields.layout)).json(), {seats, blocks} = survey(new Picture(fields, layout));
          return [Object.fromEntries(seats.map(({label, x, y}) => [label, [x, y]])), blocks.map(({section, y, height}) => [section, y, y + height])];
        })()"""
    where = where.replace("return [await import(new URL('hall.js', document.baseURI)), await import(new URL('picture.js', document.baseURI))].length && (async", 'return (async')
    browser.open(address(dashboard, show))
    browser.await_figures(free=76)
    before, _ = browser.run(where, show)
    assert before['A-1'][0] + 11 * 30 == before['A-12'][0] and before['C-1'][1] - before['A-1'][1] == 60
    assert 'detail' not in ask('define', show, state='open')
    added = ask('define', show, sections=[{'section': 'upper', 'price': 40, 'rows': [{'row': letter, 'seats': 20} for letter in 'XYZ']}])
    assert added['detail'] == '60 seats have no place in the drawing'
    browser.await_figures(free=136)
    after, blocks = browser.run(where, show)
    assert {label: after[label] for label in before} == before and len(after) == 96
    lowest = max(y for _, y in before.values())
    assert min(after[label][1] for label in after if label not in before) > lowest + 30
    assert {label: round(after['X-2'][0] - after['X-1'][0]) for label in 'X'} == {'X': 30}
    assert sorted(section for section, *_ in blocks) == ['floor', 'upper']
    spans = sorted((top, bottom) for _, top, bottom in blocks)
    assert spans[0][0] > lowest and (spans[0][1] <= spans[1][0] or blocks[0][1] == blocks[1][1])
    eventually(lambda: browser.text('.zoom').startswith('96 seats'))
    browser.press('canvas.picture', Keys.ARROW_RIGHT, *[Keys.ARROW_DOWN] * 3)
    eventually(lambda: 'upper · row X' in browser.text('.tip'))


def test_a_hall_that_has_no_size_yet(hall, dashboard, browser):
    """As while a window is resized before it was laid out: nothing is drawn, and nothing complains."""
    browser.open(address(dashboard, hall))
    browser.await_figures(held=0)
    browser.run("document.querySelector('.hall').style.display = 'none'")
    browser.driver.execute_async_script('requestAnimationFrame(() => requestAnimationFrame(arguments[0]))')
    browser.run("""
        window.dispatchEvent(new Event('themed'));
        for (const label of ['Zoom in', 'Fit the hall', 'Zoom out'])
          document.querySelector(`[aria-label="${label}"]`).click();""")
    browser.driver.execute_async_script('requestAnimationFrame(() => requestAnimationFrame(arguments[0]))')
    browser.run("document.querySelector('.hall').style.display = ''")
    browser.press('canvas.picture', Keys.ARROW_RIGHT)
    eventually(lambda: browser.text('.tip').startswith('A-1'))


def test_a_hotel_and_a_shop(ask, name, dashboard, browser):
    hotel, shop = name('hotel'), name('shop')
    ask('define', hotel, **HOTEL)
    ask('define', shop, state='open', currency='GBP', products=[{'product': 'mug', 'name': 'Mug', 'capacity': 4, 'price': 900},
                                                               {'product': 'cd', 'name': 'CD', 'capacity': 9, 'rates': {'adult': 1500, 'child': 1200}}])
    browser.open(address(dashboard, hotel))
    ask('book', hotel, customer='c', items=stay('double', '2026-12-24', '2026-12-26', 3))
    for size in DESK, PHONE:
        browser.size(*size)
        eventually(lambda: browser.text('[data-night="double/2026-12-24"]') == 'full' and browser.text('[data-night="double/2026-12-26"]')[0] == '3')
    assert '3 sold' in browser.run('return document.querySelector("[data-night=\'double/2026-12-25\']").ariaLabel')
    browser.open(address(dashboard, shop))
    eventually(lambda: browser.texts('.stock .name b') == ['Mug', 'CD'])
    assert browser.texts('.stock .name small') == ['£9.00', '£12.00 – £15.00']
    ask('book', shop, customer='c', items=pieces('cd', 8))
    eventually(lambda: browser.texts('.stock .name b') == ['CD', 'Mug'] and '1 left' in browser.text('.stock li') and 'pace' in browser.text('.stock li'))
    # Fewer than are sold: how many are over.
    ask('define', hotel, rooms=[{'room': 'double', 'from': '2026-12-24', 'to': '2026-12-25', 'capacity': 1, 'overbook': 2}])
    ask('define', shop, products=[{'product': 'cd', 'capacity': 5, 'overbook': 4}])
    eventually(lambda: '3 over' in browser.text('.stock li'))
    # More than even so: what the house took by its word.
    ask('book', shop, customer='c', force=True, overbook=True, items=pieces('cd', 3))
    eventually(lambda: '6 over' in browser.text('.stock li') and 'of 9' in browser.text('.stock li'))
    browser.open(address(dashboard, hotel))
    eventually(lambda: '2 over' in browser.text('[data-night="double/2026-12-24"]'))
    ask('book', hotel, customer='c', force=True, overbook=True, items=stay('double', '2026-12-24', '2026-12-25', 1))
    eventually(lambda: '3 over' in browser.text('[data-night="double/2026-12-24"]'))
    assert 'over' not in browser.text('[data-night="double/2026-12-25"]')


def test_what_is_over(world, ask, name, dashboard, browser):
    """What sells nothing: a show after its end, a hotel in a known time zone after its last night; what is closed is closed."""
    old = {'state': 'open', 'timezone': 'UTC', 'rooms': [{'room': 'double', 'from': '2020-01-01', 'to': '2020-01-03', 'capacity': 1, 'price': 1}]}
    for listed, said, terms in (
            ('over', 'over', {**HALL, 'starts_at': soon(world, -9000), 'ends_at': soon(world, -1)}), ('has begun', '', {**HALL, 'starts_at': soon(world, -90000)}),
            ('closed', 'closed', {**HALL, 'starts_at': soon(world, -90000)}), ('', 'over', old), ('', '', {**old, 'timezone': None})):
        show = name()
        ask('define', show, **{term: value for term, value in terms.items() if value is not None})
        if listed == 'closed':
            ask('close', show)
        eventually(lambda: dashboard.row(show) and dashboard.row(show)['state'] == ('closed' if listed == 'closed' else 'open'))
        browser.open(dashboard.url)
        browser.press('input[type=search]', show)
        eventually(lambda: len(browser.texts('.row')) == 1 and listed in browser.text('.row .when'), f'the overview says {listed}')
        assert ('unsold' if listed in ('over', 'closed') else 'free') in browser.text('.row .number')
        for page in 'resource', 'embed':
            browser.open(address(dashboard, show, page))
            eventually(lambda: browser.texts('.picture') and browser.text('.tag') == said, f'its page says {said}')


def test_a_hotel_opens_tonight(world, ask, name, dashboard, browser):
    """Thirty nights from today in its own time zone on, each with its price; those that are over are a step back."""
    for place in 'Pacific/Kiritimati', 'Pacific/Pago_Pago':
        hotel, today = name('hotel'), datetime.datetime.now(zoneinfo.ZoneInfo(place)).date()
        later = lambda days: str(today + datetime.timedelta(days))
        ask('define', hotel, state='open', currency='GBP', timezone=place, rooms=[{'room': 'double', 'from': later(-40), 'to': later(100), 'capacity': 3, 'price': 12900},
                                                                                 {'room': 'double', 'from': later(3), 'to': later(4), 'price': 18950}])
        shown = 'return [...document.querySelectorAll("[data-night]")].map(one => [one.dataset.night.split("/")[1], one.innerText.split("\\n")])'
        for size in DESK, PHONE:
            browser.size(*size)
            browser.open(address(dashboard, hotel))
            nights = eventually(lambda: browser.run(shown))
            assert [night for night, _ in nights] == [later(days) for days in range(30)]
            assert nights[0][1] == ['3', '£129'] and nights[3][1] == ['3', '£189.50']
            browser.click('[aria-label="Earlier nights"]')
            assert [night for night, _ in browser.run(shown)] == [later(days) for days in range(-30, 0)]
            assert browser.run('return document.documentElement.scrollWidth') <= size[0]


def test_the_overview_adds_like_to_like(make_realm, make_dashboard, browser):
    """What has a date comes first, the next one on top; places, nights and pieces are no sum."""
    realm = make_realm()
    realm.worker()
    realm.ask('define', 'shop', name='Shop', state='open', products=[{'product': 'mug', 'capacity': 40, 'price': 9}])
    realm.ask('define', 'hotel', **{**HOTEL, 'name': 'Hotel'})
    realm.ask('define', 'late', **{**HALL, 'name': 'Late', 'starts_at': soon(realm, 90000)})
    realm.ask('define', 'next', **{**HALL, 'name': 'Next', 'starts_at': soon(realm, 9000), 'products': []})
    realm.ask('define', 'past', **{**HALL, 'name': 'Past', 'starts_at': soon(realm, -90000), 'ends_at': soon(realm, -80000), 'products': []})
    dashboard = make_dashboard(realm)
    browser.open(dashboard.url)
    eventually(lambda: browser.texts('.row span:first-child > b') == ['Next', 'Late', 'Hotel', 'Shop', 'Past'])
    assert browser.text('[data-figure=free] dd').split('\n') == ['33 places', '40 room nights', '40 pieces', '36 units']


def test_a_hotel_that_is_over_begins_where_it_had_guests(ask, name, dashboard, browser):
    hotel = name('hotel')
    ask('define', hotel, state='open', rooms=[{'room': 'double', 'from': '2020-01-30', 'to': '2020-04-02', 'capacity': 2, 'price': 1}])
    ask('book', hotel, customer='c', items=stay('double', '2020-01-30', '2020-02-02'))
    browser.open(address(dashboard, hotel))
    eventually(lambda: browser.text('.months h2') == '30 Jan – 28 Feb 2020' and browser.text('[data-night="double/2020-02-01"]')[0] == '1')


def test_names_are_text(ask, name, dashboard, browser):
    evil = '<img src=x onerror=document.title=1><script>alert(1)</script>'
    show = name()
    assert ask('define', show, state='open', name=evil, venue=evil, sections=[{'section': evil[:50], 'capacity': 3, 'price': 1}],
               products=[{'product': 'a', 'name': evil, 'capacity': 3, 'price': 1}])['outcome'] == 'defined'
    browser.open(dashboard.url)
    browser.press('input[type=search]', 'onerror')
    eventually(lambda: evil in browser.text('.row'))
    browser.click('.row')
    eventually(lambda: browser.text('h1') == evil, 'the name as it is')
    browser.await_figures(free=6)
    assert browser.run('return document.title') == f'{evil} · usher'


def test_a_name_that_points_here(hall, dashboard, browser):
    """Of another site, as in DNS rebinding: its page is of the same origin as the dashboard, and reads nothing."""
    read = """
        const done = arguments[0];
        fetch('/api/resources').then(async answer => done([answer.status, await answer.text()]), error => done([0, String(error)]));"""
    browser.open(f'http://rebound.example:{dashboard.port}/livez')
    status, text = browser.driver.execute_async_script(read)
    assert status == 421 and hall not in text
    browser.open(f'http://localhost:{dashboard.port}/livez')
    eventually(lambda: hall in browser.driver.execute_async_script(read)[1])
    assert '421' in browser.complaints()[0]


def test_an_on_sale_is_watched_again(ask, hall, dashboard, browser):
    """Each moment has the counts that it had, and live returns."""
    browser.open(address(dashboard, hall))
    browser.await_figures(sold=0)
    for number in range(1, 4):
        ask('book', hall, customer='c', items=places('stalls', 2))
        browser.await_figures(sold=2 * number)
    assert browser.texts('.scale small') == [str(HALL_UNITS), str(HALL_UNITS // 2), '0']
    eventually(lambda: browser.run('return document.querySelector(".curve .sold").getAttribute("d")').endswith(f'V{100 - 600 / HALL_UNITS:.1f}H1000V100Z'),
               'the curve is of all units')
    browser.run("const slider = document.querySelector('input[type=range]'); slider.value = 0; slider.dispatchEvent(new Event('input'));")
    browser.await_figures(sold=0, free=HALL_UNITS)
    assert 'as of' in browser.text('#live')
    # While it is looked at, what is sold does not move it; then live has everything.
    ask('book', hall, customer='c', items=places('stalls', 2))
    eventually(lambda: dashboard.resource(hall)['sold'] == 8)
    assert browser.figure('sold') == '0'
    seen = browser.run('''
        const slider = document.querySelector('input[type=range]'), found = [];
        for (let value = 0; value < 1000; value++) {
          slider.value = value;
          slider.dispatchEvent(new Event('input'));
          found.push(Number(document.querySelector('[data-figure=sold] dd').textContent));
        }
        return found;''')
    assert seen == sorted(seen) and {0, 2, 4, 6} <= set(seen) <= {0, 2, 4, 6, 8}
    browser.click('.rewind button:last-of-type')
    browser.await_figures(sold=8)
    eventually(lambda: browser.text('#live') == 'live')


def test_a_long_on_sale_is_remembered(hall, dashboard, browser):
    """A page that stays open all day has a bounded log: since it began, each moment as it was, with more time between them."""
    browser.open(address(dashboard, hall))
    changes, bytes_kept, late_ms, wrong = browser.driver.execute_async_script('''
        const done = arguments[0], SEATS = 600, CHANGES = 60000, STEP_MS = 100;
        import(new URL('picture.js', document.baseURI)).then(({Past, Picture}) => {
          const states = new Array(SEATS).fill('f'), whole = () => states.join('');
          const past = new Past([[0, {from: 0, epoch: 1, rev: 1, sold: 0, seats: [[0, whole()]], pools: {stalls: '0'}}]]);
          const was = [whole()];
          let seed = 1, most = 0;
          for (let number = 1; number < CHANGES; number++) {
            const seats = [1, 2, 3].map(() => (seed = seed * 48271 % 2147483647) % SEATS);
            seats.forEach(seat => { states[seat] = 'fhs'[number % 3]; });
            was.push(whole());
            const all = number % 9999 === 0; // as after a partition was taken over
            past.add(number * STEP_MS, {from: all ? 0 : number, epoch: 1, rev: number + 1, sold: number, pools: {stalls: String(number)},
                                        seats: all ? [[0, whole()]] : seats.map(seat => [seat, states[seat]])});
            most = Math.max(most, past.changes.length);
          }
          const now = new Picture({sold: CHANGES - 1, seats: whole(), pools: {stalls: String(CHANGES - 1)}}, null);
          let late_ms = 0, wrong = past.from_ms === 0 ? 0 : 1;
          for (let moment = 0; moment < CHANGES; moment += 997) {
            const seen = past.at(now, moment * STEP_MS), {sold} = seen.fields;
            late_ms = Math.max(late_ms, (moment - sold) * STEP_MS);
            wrong += sold > moment || seen.seats !== was[sold] || seen.pools.get('stalls') !== String(sold);
          }
          done([most, JSON.stringify(past.changes).length, late_ms, wrong]);
        }, error => done([String(error), 0, 0, 1]));''')
    assert wrong == 0, changes
    assert changes <= 8001 and bytes_kept < 16 << 20
    assert late_ms <= 60000 * 100 / 400, 'four hundred moments at least'


def test_stale_and_right_again(make_realm, make_own_redis, make_dashboard, browser):
    """Redis is killed, and comes back empty; the worker is killed. Each is said, and nothing has to be reloaded."""
    redis = make_own_redis('pages')
    realm = make_realm(USHER_REDIS=redis.url)
    worker = realm.worker()
    realm.ask('define', 'show', **HALL)
    dashboard = make_dashboard(realm)
    browser.open(address(dashboard, 'show'))
    browser.await_figures(free=HALL_UNITS)
    eventually(lambda: browser.text('#live') == 'live')
    redis.kill()
    eventually(lambda: 'Stale: Redis is away' in browser.text('.stale-note'), 'it says so')
    assert browser.run('return document.querySelector("main").classList.contains("stale")')
    realm.ask('book', 'show', customer='c', items=places('standing', 3))
    redis.start()
    browser.await_figures(sold=3, free=HALL_UNITS - 3)
    eventually(lambda: browser.text('#live') == 'live' and not browser.text('.stale-note'))
    worker.kill()
    eventually(lambda: 'no worker decides for it' in browser.text('.stale-note'), 'a partition without an owner is stale')
    browser.open(dashboard.url)
    eventually(lambda: browser.text('#live') == 'stale: no worker decides')
    browser.open(f'{dashboard.url}#/partitions')
    eventually(lambda: 'nobody decides' in browser.text('.partitions .dead'))


def test_another_layout_and_none(make_realm, make_own_redis, make_dashboard, browser):
    """The hall is drawn again while it is looked at; a resource that vanishes is said to be gone, until it comes back."""
    redis = make_own_redis('layouts')
    realm = make_realm(USHER_REDIS=redis.url)
    realm.worker()
    realm.ask('define', 'show', **seated(4, 6))
    dashboard = make_dashboard(realm)
    browser.open(address(dashboard, 'show'))
    browser.await_figures(free=10)
    assert browser.text('.zoom').startswith('10 seats')
    realm.ask('define', 'show', **seated(4, 6, 8))
    browser.await_figures(free=18)
    eventually(lambda: browser.text('.zoom').startswith('18 seats'), 'the hall has the new row')
    redis.client.delete(*(key for key in redis.client.keys() if key.startswith((f'{realm.name}:{{show}}', f'{realm.name}:resources'))))
    redis.client.client_kill_filter(_type='pubsub')
    eventually(lambda: browser.text('.stale-note') == 'This resource is gone.')
    stream = dashboard.stream()
    for _ in range(3):
        stream.next('status')
    assert browser.text('.stale-note') == 'This resource is gone.', 'and stays so'
    realm.ask('book', 'show', customer='c', items=places('stalls', 2))
    browser.await_figures(sold=2)
    eventually(lambda: not browser.text('.stale-note') and browser.text('#live') == 'live')


def test_a_clock_that_is_wrong(ask, hall, dashboard, browser):
    """Of the viewer, by a year: the picture is live all the same, and the past has its counts."""
    script = 'const right = Date.now; Date.now = () => right() - 365 * 86400000;'
    made = browser.driver.execute_cdp_cmd('Page.addScriptToEvaluateOnNewDocument', {'source': script})
    try:
        browser.open(address(dashboard, hall))
        browser.await_figures(sold=0)
        ask('book', hall, customer='c', items=places('stalls', 2))
        browser.await_figures(sold=2)
        eventually(lambda: browser.text('#live') == 'live')
        for value, sold in (0, 0), (1000, 2):
            browser.run("const slider = document.querySelector('input[type=range]'); slider.value = arguments[0]; slider.dispatchEvent(new Event('input'));", value)
            browser.await_figures(sold=sold)
        browser.open(dashboard.url)
        browser.press('input[type=search]', hall)
        eventually(lambda: browser.text('[data-figure=minute] dd') not in ('', '0'), 'units sold in the last minute')
    finally:
        browser.driver.execute_cdp_cmd('Page.removeScriptToEvaluateOnNewDocument', {'identifier': made['identifier']})


def test_pages_that_were_left(hall, dashboard, browser):
    """They give their streams back, of which a browser opens six at most; one that is returned to is live again."""
    for _ in range(8):
        browser.open(address(dashboard, hall))
        eventually(lambda: browser.text('#live') == 'live')
        browser.open('about:blank')
        eventually(lambda: dashboard.metric('usher_dashboard_browsers') == 0, 'the stream has ended')
    browser.driver.back()
    eventually(lambda: browser.text('#live') == 'live')


def test_a_phone_and_the_dark(world, hall, hotel, dashboard, browser):
    """No page is wider than the screen; what one touches is large enough; the theme follows, and can be chosen."""
    browser.size(*PHONE)
    for page in ('', f'resource/{hall}', f'resource/{hotel}', 'partitions', 'nowhere'):
        browser.open(f'{dashboard.url}#/{page.replace(":", "%3A")}')
        eventually(lambda: browser.text('main') and 'Loading' not in browser.text('main'))
        assert browser.run('return document.documentElement.scrollWidth') <= PHONE[0], page
    browser.prefer(prefers_color_scheme='dark')
    eventually(lambda: browser.run('return document.documentElement.dataset.theme') == 'dark')
    browser.click('#theme')
    assert browser.run('return document.documentElement.dataset.theme') == 'light'
    browser.run('localStorage.clear()')
    browser.prefer(prefers_color_scheme='light')


@pytest.mark.skipif(not AXE.exists(), reason='needs axe-core, which make fetches where the registry of npm can be reached')
@pytest.mark.parametrize('scheme', ['light', 'dark'])
def test_everybody_can_use_it(ask, name, hall, hotel, dashboard, browser, scheme):
    """As far as axe can tell, on each page."""
    shop = name('shop')
    ask('define', shop, state='open', currency='GBP', products=[{'product': 'mug', 'name': 'Mug', 'capacity': 4, 'price': 900}])
    ask('book', hall, customer='c', items=seats('A-1'))
    browser.prefer(prefers_color_scheme=scheme)
    try:
        for page in ('', *(f'resource/{one}' for one in (hall, hotel, shop)), 'partitions', 'nowhere'):
            browser.open(f'{dashboard.url}#/{page.replace(":", "%3A")}')
            eventually(lambda: browser.text('main') and 'Loading' not in browser.text('main'))
            if page.startswith('resource'):
                eventually(lambda: browser.text('.parts') and browser.text('#live') == 'live')
            assert browser.violations(AXE) == [], page
    finally:
        browser.prefer(prefers_color_scheme='light')


def test_a_picture_within_another_page(hall, dashboard, browser):
    browser.open(address(dashboard, hall, 'embed'))
    browser.find('canvas.picture')
    eventually(lambda: browser.run('return getComputedStyle(document.querySelector(".top")).display') == 'none')


def test_seats_are_named_where_there_is_room(ask, name, dashboard, browser):
    """Not as long as the hall is small; then by their numbers, then with their rows. A hall that is dragged writes only what comes into sight."""
    show = name()
    ask('define', show, state='open', sections=[{'section': 'stalls', 'price': 1, 'rows': [{'row': f'Row {letter}', 'seats': 61} for letter in 'ABCDEFGHIJKLMNOPQRSTU']}])
    ask('block', show, items=seats('Row I-31'))
    ask('book', show, customer='c', items=seats('Row I-32'))
    ask('hold', show, customer='c', items=seats('Row I-33'))
    browser.open(address(dashboard, show))
    browser.await_figures(blocked=1, sold=1, held=1)
    browser.run('''
        window.written = [];
        const write = CanvasRenderingContext2D.prototype.fillText;
        CanvasRenderingContext2D.prototype.fillText = function (text, ...where) { window.written.push(text); write.call(this, text, ...where); };''')

    def written():
        return browser.run('window.written = []; window.dispatchEvent(new Event("themed")); return window.written')
    seen = [written()]
    while 'Row I-31' not in seen[-1] and len(seen) < 12:
        browser.run('document.querySelector("[aria-label=\'Zoom in\']").click()')
        seen.append(written())
    assert not {'31', 'Row I-31', 'Row I'} & set(seen[0]) and {'Row I-31', 'Row I-32', 'Row I-33', 'Row H-31'} <= set(seen[-1])
    assert any({'31', '32', '33'} <= set(one) for one in seen)
    moved = browser.driver.execute_async_script('''
        const done = arguments[0], canvas = document.querySelector('canvas.picture'), {left, top} = canvas.getBoundingClientRect();
        const point = (name, x) => canvas.dispatchEvent(new PointerEvent(name, {pointerId: 1, clientX: left + x, clientY: top + 100}));
        canvas.setPointerCapture = () => {};
        requestAnimationFrame(() => {
          window.written = [];
          point('pointerdown', 100);
          point('pointermove', 110);
          requestAnimationFrame(() => done(window.written));
        });''')
    assert 0 < len(moved) < len(seen[-1]) / 2


def test_rows_are_named_once_and_in_full(ask, name, dashboard, browser):
    """Not again where the next section of a row begins, which would be on a seat; the name of a box at the edge is not cut."""
    show = name()
    circle = row('C', [seat(f'C-{number}', str(number), 'side' if number < 4 else 'front', 30 * number) for number in range(3, 9)])
    box = row('Box 1', [seat('Box 1-1', '1', 'box', 0)], y=60)
    ask('define', show, plan=plan(zone('Circle', [circle, box])), state='open', sections=[{'section': section, 'price': 1} for section in ('side', 'front', 'box')])
    browser.open(address(dashboard, show))
    browser.await_figures(free=7)
    written = eventually(lambda: browser.run('''
        const seen = {}, write = CanvasRenderingContext2D.prototype.fillText;
        CanvasRenderingContext2D.prototype.fillText = function (text, x, ...where) {
          if (this.textAlign === 'right')
            (seen[text] = seen[text] ?? []).push(x - this.measureText(text).width);
          write.call(this, text, x, ...where);
        };
        window.dispatchEvent(new Event('themed'));
        CanvasRenderingContext2D.prototype.fillText = write;
        return seen'''))
    assert {row: len(begins) for row, begins in written.items()} == {'C': 1, 'Box 1': 1} and written['Box 1'][0] >= 0


def test_a_large_arena(ask, name, dashboard, browser):
    """20,000 seats are drawn at once: a frame takes some ms, as soon as the machine is not busy with other things."""
    arena = name('arena')
    ask('define', arena, state='open', sections=[{'section': f'block {block}', 'price': 1, 'rows': [
        {'row': f'{block}{number}', 'seats': 40} for number in range(50)]} for block in 'ABCDEFGHIJ'])
    eventually(lambda: dashboard.row(arena))
    browser.open(address(dashboard, arena))
    browser.await_figures(free=20000)
    eventually(lambda: browser.run('''
        const canvas = document.querySelector('canvas.picture'), since = performance.now();
        window.dispatchEvent(new Event('themed')); // draws all
        canvas.getContext('2d').getImageData(0, 0, 1, 1);
        return performance.now() - since;''') < 300, 'it is drawn in less than 300 ms')
    # A hall that is dragged copies what it has, and draws the rest: in the end it is what it would be if all was drawn.
    for _ in range(4):
        browser.run('document.querySelector("[aria-label=\'Zoom in\']").click()')
    moved, whole = browser.driver.execute_async_script('''
        const done = arguments[0], canvas = document.querySelector('canvas.picture'), {left, top} = canvas.getBoundingClientRect();
        const point = (name, x, y) => canvas.dispatchEvent(new PointerEvent(name, {pointerId: 1, clientX: left + x, clientY: top + y}));
        canvas.setPointerCapture = () => {};
        point('pointerdown', 400, 300);
        let step = 0;
        const turn = () => {
          step++;
          point('pointermove', 400 + 90 * Math.sin(step), 300 + 70 * Math.cos(2 * step));
          if (step < 20)
            return requestAnimationFrame(turn);
          requestAnimationFrame(() => {
            const moved = canvas.toDataURL();
            window.dispatchEvent(new Event('themed'));
            done([moved, canvas.toDataURL()]);
          });
        };
        requestAnimationFrame(turn);''')
    assert moved == whole
