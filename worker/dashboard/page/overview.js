// @ts-check
/** Every resource in a list that has rows only where they are seen. */
import {bar, count, distance, el, end, ended, KINDS, moment, percent, say, setBar, soldOut, UNITS} from './words.js';
import {followAll, isStale, now} from './store.js';

const PACE_MS = 10000, MINUTE = 6; // periods of the server's count

/** How many units were sold in the last minute. @param {any} row */
function lastMinute(row) {
  if (!row.pace)
    return 0;
  const behind = Math.floor(now() / PACE_MS) - row.pace_at;
  return row.pace.slice(Math.max(0, row.pace.length - Math.max(0, MINUTE - behind))).reduce((sum, sold) => sum + sold, 0);
}

/** Adds to a row that is new what is found and sorted by: with thousands of rows it is asked for again and again. @param {any} row */
function prepare(row) {
  const instant = (/** @type {string|undefined} */ text) => text ? Date.parse(text) : NaN;
  row.start_ms = instant(row.starts_at);
  row.end_ms = end(row);
  row.found_by = `${row.name ?? ''} ${row.venue ?? ''} ${row.resource}`.toLowerCase();
  row.prepared = true;
}

/** What is to be said of a resource beside its numbers. @param {any} row */
function situation(row) {
  const at = now(), opens_ms = Date.parse(row.opens_at ?? ''), why = ended(row, at, row.end_ms);
  if (why)
    return why;
  if (opens_ms > at)
    return `sale opens in ${distance(opens_ms - at)}`;
  if (Date.parse(row.closes_at ?? '') < at)
    return 'sale is over';
  return row.start_ms > at ? `in ${distance(row.start_ms - at)}` : row.start_ms < at ? 'has begun' : 'on sale';
}

/** By what rows are sorted: each number is computed once, what has no date comes after what has one, what is over last. */
const UNDATED_MS = 1e15, FAR_MS = 1e16;
const ORDERS = {
  start: (/** @type {any} */ row, /** @type {number} */ at) => (row.start_ms || UNDATED_MS) + (ended(row, at, row.end_ms) ? FAR_MS : 0),
  fullest: (/** @type {any} */ row) => row.total > 0 ? (row.free - row.total) / row.total : 0,
  fastest: (/** @type {any} */ row) => -lastMinute(row),
  name: () => 0,
};

/** Bars of the last five minutes. @param {SVGElement} svg @param {any} row */
function drawSpark(svg, row) {
  const behind = row.pace ? Math.max(0, Math.floor(now() / PACE_MS) - row.pace_at) : 0;
  const pace = row.pace ? [...row.pace, ...Array(Math.min(30, behind)).fill(0)].slice(-30) : [];
  const most = Math.max(4, ...pace);
  svg.replaceChildren(...pace.flatMap((sold, index) => {
    if (sold === 0)
      return [];
    const rect = document.createElementNS('http://www.w3.org/2000/svg', 'rect'), height = Math.max(1.5, 30 * sold / most);
    for (const [name, value] of Object.entries({x: index * 3.2, y: 32 - height, width: 2.4, height, rx: 0.6}))
      rect.setAttribute(name, String(value));
    return [rect];
  }));
}

function newRow() {
  const name = el('b'), id = el('small'), when = el('span'), state = el('small'), bars = bar({total: 0, free: 0, held: 0, sold: 0, blocked: 0});
  const free = el('b'), of = el('small'), wait = el('span', {className: 'number waiting'});
  const spark = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  spark.setAttribute('class', 'spark');
  spark.setAttribute('aria-hidden', 'true');
  const made = /** @type {HTMLAnchorElement} */ (el('a', {className: 'row'},
    el('span', {}, name, id), el('span', {className: 'when'}, when, state), el('span', {className: 'full'}, bars),
    el('span', {className: 'number'}, free, of), el('span', {className: 'sparkcell'}, spark), wait));
  return {made, set(/** @type {any} */ row, /** @type {boolean} */ stale) {
    made.href = `#/resource/${encodeURIComponent(row.resource)}`;
    made.classList.toggle('is-stale', stale);
    say(name, row.name || row.resource);
    say(id, row.venue || (row.name ? row.resource : ''));
    say(when, moment(row.starts_at, row.timezone) || KINDS[row.kind] || row.kind || '');
    state.textContent = stale ? 'stale' : situation(row);
    setBar(bars, row);
    free.textContent = row.free === 0 ? soldOut(row.held) : `${count(row.free)} ${ended(row, now(), row.end_ms) ? 'unsold' : 'free'}`;
    of.textContent = `of ${count(row.total)} · ${percent(row.total - row.free, row.total)} taken`;
    wait.textContent = row.waiting ? `${count(row.waiting)} waiting` : '';
    drawSpark(spark, row);
  }};
}

/** @param {import('./main.js').Frame} frame */
export function overview(frame) {
  /** @type {Map<string, any>} */
  let rows = new Map();
  /** @type {import('./store.js').Status|null|undefined} undefined: not yet heard */
  let status;
  /** @type {any[]} */
  let sorted = [], shown = [];
  /** @type {ReturnType<typeof newRow>[]} */
  const pool = [];
  const words = new URLSearchParams(location.hash.split('?')[1] ?? '');
  const search = /** @type {HTMLInputElement} */ (el('input', {type: 'search', placeholder: 'Find by name, venue or id', 'aria-label': 'Find', value: words.get('find') ?? ''}));
  const select = (/** @type {string} */ label, /** @type {[string, string][]} */ options) =>
    /** @type {HTMLSelectElement} */ (el('select', {'aria-label': label}, ...options.map(([value, text]) => el('option', {value}, text))));
  const kind = select('Kind', [['', 'All kinds'], .../** @type {[string, string][]} */ (Object.entries(KINDS))]);
  const state = select('State', [['', 'Open, over, closed'], ['open', 'Open'], ['over', 'Over'], ['closed', 'Closed']]);
  const order = select('Order', [['start', 'By start'], ['fullest', 'Fullest first'], ['fastest', 'Selling fastest'], ['name', 'By name']]);
  kind.value = words.get('kind') ?? '';
  state.value = words.get('state') ?? '';
  order.value = words.get('order') ?? 'start';
  const list = el('section', {className: 'list', 'aria-label': 'Resources'});
  const total = el('dl', {className: 'figures'});
  const note = el('p', {className: 'empty', hidden: true});
  const titles = {open: 'Open', free: 'Free', held: 'Held', sold: 'Sold', minute: 'Sold in the last minute'};
  const sumOf = Object.fromEntries(Object.entries(titles).map(([name, title]) => {
    const value = el('dd', {}, '–');
    total.append(el('div', {'data-figure': name}, el('dt', {}, ...(['free', 'held', 'sold'].includes(name) ? [el('i', {className: `key ${name}`})] : []), title), value));
    return [name, value];
  }));

  /** Seats, nights and pieces are no sum: each has its own. @param {HTMLElement} made @param {Object<string, number>} sums by unit */
  function setSums(made, sums) {
    const some = ['', 'places', 'room nights', 'pieces', 'units'].filter(unit => sums[unit] > 0).map(unit => [count(sums[unit]), unit]), lines = some.length > 0 ? some : [['0', '']];
    const text = lines.flat().join(' ');
    if (made.dataset.said !== text)
      made.replaceChildren(...lines.map(([sum, unit]) => el('span', {className: 'part'}, sum, unit && el('small', {}, ` ${unit}`))));
    made.dataset.said = text;
  }
  frame.title('');
  frame.main.append(el('div', {className: 'summary'}, el('h1', {}, 'Overview'), total),
    el('form', {className: 'filters', role: 'search', onsubmit: event => event.preventDefault()}, search, kind, state, order), list, note);

  const height = () => window.innerWidth <= 900 ? 96 : 72;
  function place() {
    const tall = height(), top = list.getBoundingClientRect().top;
    const first = Math.max(0, Math.floor(-top / tall) - 4), last = Math.min(shown.length, Math.ceil((window.innerHeight - top) / tall) + 4);
    list.style.height = `${Math.max(shown.length * tall, 0)}px`;
    while (pool.length < last - first) {
      pool.push(newRow());
      list.append(pool[pool.length - 1].made);
    }
    pool.forEach((row, index) => {
      const item = shown[first + index];
      row.made.hidden = !item || first + index >= last;
      row.made.style.display = row.made.hidden ? 'none' : '';
      if (row.made.hidden)
        return;
      row.made.style.top = `${(first + index) * tall}px`;
      row.set(item, status !== undefined && isStale(status, item.partition));
    });
  }

  /** Sorts all rows, when some changed: who types waits for choose() alone. */
  function arrange() {
    const at = now(), key = ORDERS[order.value], sums = {open: {'': 0}, free: {}, held: {}, sold: {}, minute: {}};
    const add = (/** @type {string} */ name, /** @type {any} */ row, /** @type {number} */ units) => { sums[name][UNITS[row.kind]] = (sums[name][UNITS[row.kind]] ?? 0) + units; };
    const found = [...rows.values()].map(row => {
      if (!row.prepared)
        prepare(row);
      const over = ended(row, at, row.end_ms);
      sums.open[''] += over ? 0 : 1;
      add('free', row, over ? 0 : row.free);
      add('held', row, row.held);
      add('sold', row, row.sold);
      add('minute', row, lastMinute(row));
      return {row, by: key(row, at)};
    });
    found.sort((one, other) => one.by - other.by || (one.row.found_by < other.row.found_by ? -1 : 1));
    sorted = found.map(({row}) => row);
    const stale = sorted.filter(row => isStale(status ?? null, row.partition)).length;
    const why = !status ? 'not connected' : !status.redis ? 'Redis is away' : stale < rows.size ? `no worker decides for ${count(stale)}` : stale > 0 ? 'no worker decides' : '';
    if (status !== undefined)
      frame.live(status?.redis && stale === 0 ? 'live' : 'stale', status?.redis && stale === 0 ? 'live' : `stale: ${why}`);
    for (const [name, sum] of Object.entries(sums))
      setSums(sumOf[name], sum);
    choose();
  }

  function choose() {
    const wanted = search.value.trim().toLowerCase(), at = now();
    shown = sorted.filter(row => (!kind.value || row.kind === kind.value) && (!state.value || state.value === (ended(row, at, row.end_ms) || 'open')) && (!wanted || row.found_by.includes(wanted)));
    note.hidden = shown.length > 0;
    list.hidden = shown.length === 0;
    note.textContent = rows.size === 0 ? 'Nothing is on sale yet: a resource appears here as soon as it is defined and opened.' : 'Nothing matches.';
    place();
  }

  function keep() {
    const kept = new URLSearchParams(Object.entries({find: search.value, kind: kind.value, state: state.value, order: order.value === 'start' ? '' : order.value}).filter(([, value]) => value));
    history.replaceState(null, '', `#/${kept.size ? `?${kept}` : ''}`);
  }

  let due = 0;
  const later = () => { due = due || window.setTimeout(() => { due = 0; arrange(); }, 100); };
  const stop = followAll(all => { rows = all; later(); }, heard => {
    status = heard;
    frame.main.classList.toggle('stale', !heard?.redis);
    later();
  });
  for (const control of [search, kind, state, order])
    control.addEventListener('input', () => {
      keep();
      (control === order ? arrange : choose)();
    });
  window.addEventListener('scroll', place, {passive: true});
  window.addEventListener('resize', place);
  const tick = window.setInterval(later, 5000);
  return () => {
    stop();
    window.clearInterval(tick);
    window.clearTimeout(due);
    window.removeEventListener('scroll', place);
    window.removeEventListener('resize', place);
  };
}
