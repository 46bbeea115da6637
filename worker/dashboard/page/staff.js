// @ts-check
/** What is recorded of bookings and customers, for staff with the password: read anew each time, kept nowhere. */
import {amount, clock, count, date, el, ended, figures, isDay, moment, money, plain, say} from './words.js';
import {areas, scale} from './rewind.js';
import {get, now} from './store.js';

const AGAIN_MS = 8000, KEPT_MS = 60000, RETRY_MS = 3000, EVENTS_MAX = 8, REFUSED_MAX = 50, HOUR_MS = 3600000, QUARTER_MS = 900000;

const STATES = {mixed: 'Sold in part',
  // contract: staff states
  held: 'Held', confirmed: 'Sold', blocked: 'Blocked', waiting: 'Waiting', released: 'Released', expired: 'Expired', cancelled: 'Cancelled', left: 'Left the list',
  // contract: end
};
const KEYS = {mixed: 'held',
  // contract: staff units
  held: 'held', confirmed: 'sold', blocked: 'blocked',
  // contract: end
};
const OUTCOMES = {
  // contract: staff outcomes
  held: 'Held', confirmed: 'Sold', released: 'Released', extended: 'Held for longer', exchanged: 'Exchanged', cancelled: 'Cancelled', expired: 'Expired', waiting: 'Put on the waiting list', left: 'Left the waiting list', blocked: 'Taken off sale', refused: 'Refused', invalid: 'Not understood',
  // contract: end
};
const CAUSES = {expiry: 'its time was over', waiting_list: 'from the waiting list', resource_changed: 'the house changed what is sold', resource_closed: 'the house closed the sale', block_returned: 'it was blocked until then', lost: 'in the place of an answer that was lost'};
const COUNTING = 'It is being counted.', UNKNOWN = 'It is not known just now.';
const FAULTS = {400: 'That cannot be looked for.', 401: 'The password is no longer accepted. Load the page again.', 404: 'This dashboard has no staff pages.'};

/** @param {string} question @param {Object<string, any>} filters @returns {Promise<{at_ms: number, rows: any[], more: boolean, away?: boolean, missing?: string}>} */
const ask = (question, filters) => get(`api/staff/${question}?${new URLSearchParams(filters)}`).then(answer => {
  lacking = answer.away ? answer.missing ? `Not all of the record is shown: ${answer.missing}.` : 'A part of the record does not answer: there may be more than this.' : lacking;
  return answer;
});
/** Why what is shown is not all: the last answer that was not whole says so. */
let lacking = '';

const MADE = {day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit'};

/** With seconds: two steps of a booking may be close. @param {string|null} instant @param {string|undefined} zone */
const stamp = (instant, zone) => moment(instant, zone, {...MADE, second: '2-digit'});
const time = (/** @type {string} */ instant, /** @type {string|undefined} */ zone) => moment(instant, zone, {hour: '2-digit', minute: '2-digit'});
const day = (/** @type {string} */ night) => moment(`${night}T00:00Z`, 'UTC', {day: 'numeric', month: 'short', year: 'numeric'});
const next = (/** @type {string} */ night, days = 1) => new Date(Date.parse(`${night}T00:00Z`) + days * 86400000).toISOString().slice(0, 10);

/** The items of a booking or of a waiting party in words; nights of one stay as a stay. @param {any[]|null} items */
export function goods(items) {
  /** @type {any[]} */
  const lines = [];
  for (const {tokens, quantity = tokens?.length, ...item} of items ?? []) {
    const from = item.night ?? item.from, to = item.night ? next(item.night) : item.to;
    const same = lines.find(line => from && line.to === from && line.room === item.room && line.quantity === quantity && line.rate === item.rate);
    if (same)
      same.to = to;
    else
      lines.push({...item, quantity, from, to});
  }
  return lines.map(line => {
    const place = line.section ?? line.sections?.join(' or ') ?? line.room ?? line.product ?? '';
    const called = line.places ?? line.seats;
    const what = called ? `${place} ${called.join(called.some((/** @type {string} */ seat) => seat.includes(', ')) ? '; ' : ', ')}`.trim() : `${count(line.quantity ?? 1)} × ${place}`;
    return [what, line.from && `${day(line.from)} to ${day(line.to)}`, line.rate !== 'standard' && line.rate, line.together && 'together'].filter(Boolean).join(', ');
  }).join('; ') || '–';
}

const state = (/** @type {string} */ name) => el('span', {className: 'state'}, el('i', {className: `key ${KEYS[name] ?? 'none'}`}), STATES[name] ?? name);
const link = (/** @type {string} */ text, /** @type {string[]} */ ...path) => el('a', {href: `#/staff/${path.map(encodeURIComponent).join('/')}`}, text);
/** Whom the house knows under that id, elsewhere. @param {string|null|undefined} customer @param {string} [text] */
const who = (customer, text) => customer && customers ? el('a', {href: customers.replaceAll('{customer}', encodeURIComponent(customer)), target: '_blank', rel: 'noopener noreferrer'}, text ?? customer) : customer ?? '';
/** A link template of the house's list of customers; empty: there is none. */
let customers = '';
const PRICELESS = ['waiting', 'left', 'blocked'];
const sum = (/** @type {any} */ row) => row.total === null || PRICELESS.includes(row.state ?? row.outcome) ? '' : money(row.total, row.currency);

/** A table; columns that a phone has no room for are marked. @param {[string, string][]} columns titles with their class @param {(Node|string)[][]} rows */
function table(columns, rows) {
  return el('table', {className: 'table'},
    el('thead', {}, el('tr', {}, ...columns.map(([title, className]) => el('th', {className, scope: 'col'}, title)))),
    el('tbody', {}, ...rows.map(cells => el('tr', {}, ...cells.map((cell, index) => el('td', {className: columns[index][1]}, cell))))));
}

const card = (/** @type {string} */ title, /** @type {Node[]} */ ...parts) => el('section', {className: 'card'}, el('h2', {}, title), ...parts);
const hint = (/** @type {string} */ text) => el('p', {className: 'soft'}, text);

/** Resources by id: their names, and the clocks that their times are told by. @typedef {Map<string, any>} Events */
const endedBy = (/** @type {any} */ row) => row ? ended(row, now()) : '';
const named = (/** @type {Events} */ events, /** @type {string} */ id) => `${events.get(id)?.name || id}${endedBy(events.get(id)) && ` (${endedBy(events.get(id))})`}`;
const tag = (/** @type {string} */ text) => el('span', {className: 'tag'}, text);

/** When it ends by itself, if it still may. @param {any} row @returns {string|null} */
const until = row => ['held', 'blocked', 'waiting'].includes(row.state) ? row.ends_at : null;

/** Why it ended: of itself or by the house, and what was noted then. @param {any} row */
const why = row => [CAUSES[/** @type {keyof typeof CAUSES} */ (row.cause)], row.detail].filter(Boolean).join(': ');

/** @param {any[]} rows @param {Events} events @param {boolean} [alike] all are for the same */
function bookings(rows, events, alike = false) {
  const zone = (/** @type {any} */ row) => events.get(row.resource)?.timezone, over = rows.length > 0 && rows.every(row => row.ended_at);
  /** @type {[string, string, (row: any) => Node|string][]} */
  const columns = [['Booking', 'name', row => link(row.booking, 'booking', row.resource, row.booking)], ['For', 'name', row => link(named(events, row.resource), 'resource', row.resource)],
    ['Units', 'wide', row => goods(row.items)], ['State', '', row => state(row.state)], ['Total', 'number rest', sum], ['Customer', 'rest', row => row.customer ? link(row.customer, 'find', row.customer) : row.note ?? ''],
    ['Made', 'rest when', row => moment(row.created_at, zone(row), MADE)], ['Until', rows.every(until) ? 'when' : 'rest when', row => moment(until(row), zone(row), MADE)],
    ['Ended', 'when', row => moment(row.ended_at, zone(row), MADE)], ['Paid with', 'rest', row => row.payment ?? ''], ['Why', 'rest', why]];
  /** @type {Object<string, boolean>} */
  const left = {For: alike, Until: !rows.some(until), Ended: !over, 'Paid with': !over || !rows.some(row => row.payment), Why: !over || !rows.some(why)};
  const shown = columns.filter(([title]) => !left[title]);
  return table(shown.map(([title, className]) => [title, className]), rows.map(row => shown.map(([, , cell]) => cell(row))));
}

/** What the box office asks first. @param {any} row @param {string|undefined} zone @param {string} event */
function facts(row, zone, event) {
  /** @type {[string, Node|string][]} */
  const said = [['State', state(row.state)], ['For', link(event, 'resource', row.resource)], ['Units', goods(row.items)], ['Total', sum(row)], ['Paid with', row.payment ?? ''],
    ['Customer', row.customer ? el('span', {}, link(row.customer, 'find', row.customer), ...(customers ? [' · ', who(row.customer, 'Who that is')] : [])) : ''], ['Made', stamp(row.created_at, zone)], ['Sold', stamp(row.sold_at, zone)],
    ['Until', stamp(until(row), zone)], ['Ended', stamp(row.ended_at, zone)], ['Why', why(row)], ['Cart', row.cart ? link(row.cart, 'find', row.cart) : ''], ['Taken by', row.client ?? ''], ['Note', row.note ?? ''],
    ...Object.entries(row.meta ?? {}).map(([name, value]) => /** @type {[string, string]} */ ([name, typeof value === 'string' ? value : JSON.stringify(value)]))];
  return el('dl', {className: 'facts'}, ...said.filter(([, value]) => value !== '').map(([name, value]) => el('div', {}, el('dt', {}, name), el('dd', {}, value))));
}

/** What came back of the booking, and what the new units cost beyond that. @param {any} row */
function exchanged({answer, booking, currency}) {
  const {difference, returned} = answer ?? {}, back = (returned ?? []).filter((/** @type {any} */ unit) => (unit.booking ?? answer.booking ?? booking) === booking);
  return [difference === undefined || !answer.customer ? '' : difference === 0 ? 'for the same price' : `${money(Math.abs(difference), currency)} ${difference > 0 ? 'more' : 'less'}`, back.length > 0 ? `came back: ${goods(back)}` : ''];
}

/** What was decided, the first on top. @param {any[]} rows @param {Events} events @param {string} [own] booking whose page it is */
function steps(rows, events, own) {
  return el('ol', {className: 'steps'}, ...[...rows].reverse().map(row => el('li', {},
    el('b', {}, row.outcome === 'transferred' ? `Passed on to ${row.to_customer ?? 'nobody'}` : OUTCOMES[row.outcome] ?? row.outcome),
    ...[[row.reason?.replaceAll('_', ' '), row.detail].filter(Boolean).join(': '), CAUSES[row.answer?.cause], ...exchanged(row)].filter(Boolean).map(text => el('span', {}, text)),
    el('time', {dateTime: row.decided_at}, stamp(row.decided_at, events.get(row.resource)?.timezone)),
    ...(row.booking && row.booking !== row.request_id && row.booking !== own ? [link(`Booking ${row.booking}`, 'booking', row.resource, row.booking)] : []),
    el('small', {}, [row.unasked ? 'by itself' : `request ${row.request_id}`, row.client && `by ${row.client}`, sum(row), row.replayed && 'repeated', `decision ${row.partition}-${row.seq}`].filter(Boolean).join(' · ')))));
}

// ---- pages: each reads all that it shows, and then makes it ----

/** @typedef {{title: string, made: Node[], at_ms?: number, again_ms?: number}} Page */

/** What takes long to count, by its question: the last answer, or null if it cannot be counted just now. @typedef {Object<string, Awaited<ReturnType<typeof ask>>|null>} Counted */

/** Counts it anew, while the rest of the page is shown, with what was counted before. @param {Counted} counted @param {string} question @param {Object<string, any>} [filters] @returns {Promise<any>} what went wrong */
const recount = (counted, question, filters = {}) => ask(question, filters).then(answer => { counted[question] = answer; }, fault => { counted[question] = null; return fault; });

/** By what a row says, the most first. @param {any[]} rows @param {string} of @returns {[string, number][]} */
function summed(rows, of) {
  const sums = new Map();
  for (const row of rows)
    sums.set(row[of] ?? '', (sums.get(row[of] ?? '') ?? 0) + row.requests);
  return [...sums].sort(([, one], [, other]) => other - one);
}
const reasons = (/** @type {any[]} */ rows) => summed(rows, 'reason').map(([reason, requests]) => `${count(requests)} ${reason.replaceAll('_', ' ')}`).join(', ');

/** What was asked for in vain, in all or of one resource. @param {Counted[string]|undefined} answer @param {Events} events @param {string} [resource] */
function refused(answer, events, resource) {
  const isOne = resource !== undefined, rows = (answer?.rows ?? []).filter(row => !isOne || row.resource === resource);
  if (isOne && (answer || answer === undefined) && rows.length === 0)
    return [];
  const made = el('section', {className: 'card refused'}, el('h2', {}, 'Refused in the last hour')), sums = summed(rows, 'resource'), since = Math.max(...rows.map(row => Date.parse(row.since)));
  const of = (/** @type {string} */ id) => rows.filter(row => (row.resource ?? '') === id);
  if (rows.length === 0)
    made.append(hint(answer ? 'Nothing was.' : answer === null ? UNKNOWN : COUNTING));
  else if (isOne)
    made.append(table([['Why', ''], ['Requests', 'number'], ['Last', 'number']], rows.map(row => [row.reason.replaceAll('_', ' '), count(row.requests), time(row.last_at, events.get(resource)?.timezone)])));
  else
    made.append(hint(reasons(rows)), table([['For', ''], ['Requests', 'number']], sums.slice(0, REFUSED_MAX).map(([id, requests]) => [
      el('div', {}, events.has(id) ? link(named(events, id), 'resource', id) : id || 'What could not be read', el('small', {className: 'soft'}, reasons(of(id)))), count(requests)])));
  if (answer && since > answer.at_ms - HOUR_MS + KEPT_MS)
    made.append(hint(`Where most is asked for, only since ${clock(since)}.`));
  if (answer?.more || sums.length > REFUSED_MAX)
    made.append(hint('Only those with most are shown.'));
  return [made];
}

/** A sum over resources, each of which is exact. */
const capped = (/** @type {number} */ sum) => Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, sum));

/** What was sold today, by the clock of each place. @param {Counted[string]|undefined} takings @param {Events} events */
function sales(takings, events) {
  if (!takings || takings.rows.length === 0)
    return [hint(takings ? 'Nothing was sold yet, since midnight where it takes place.' : takings === null ? UNKNOWN : COUNTING)];
  const sums = new Map();
  for (const {currency, today, last_hour} of takings.rows) {
    const sum = sums.get(currency) ?? {today: 0, last_hour: 0};
    sums.set(currency, {today: capped(sum.today + today), last_hour: capped(sum.last_hour + last_hour)});
  }
  /** @type {[string, string, (row: any) => Node|string][]} */
  const columns = [['For', 'name', row => link(named(events, row.resource), 'resource', row.resource)], ['Sales today', 'number', row => count(row.sales)],
    ['Cancelled', 'number rest', row => row.cancellations ? count(row.cancellations) : ''], ['Last hour', 'number rest', row => row.last_hour ? money(row.last_hour, row.currency) : ''],
    ['Today', 'number', row => money(row.today, row.currency)], ['In all', 'number rest', row => money(row.takings, row.currency)]];
  const list = el('dl', {className: 'figures'});
  for (const [currency, sum] of sums)
    list.append(el('div', {}, el('dt', {}, 'Today'), el('dd', {}, money(sum.today, currency)), el('dd', {}, `${money(sum.last_hour, currency)} in the last hour`)));
  return [el('div', {className: 'summary'}, el('p', {className: 'soft'}, 'Since midnight where it takes place'), list),
    el('section', {className: 'card'}, table(columns.map(([title, className]) => [title, className]), takings.rows.map(row => columns.map(([, , cell]) => cell(row)))), ...more(takings))];
}

/** What was sold, and what was refused: each as soon as it is counted. @param {Events} events @param {Counted} counted @param {(page: Page) => void} show @returns {Promise<Page>} */
async function today(events, counted, show) {
  const made = () => {
    const {takings, refusals} = counted;
    return {title: 'Sold today', at_ms: (takings ?? refusals)?.at_ms, again_ms: takings && refusals ? KEPT_MS : AGAIN_MS, made: [...sales(takings, events), ...refused(refusals, events)]};
  };
  const faults = await Promise.all(['takings', 'refusals'].map(async question => {
    const fault = await recount(counted, question);
    if (!fault)
      show(made());
    return fault;
  }));
  if (faults.every(Boolean))
    throw faults[0];
  return made();
}

/** What a list of those who come is called. @param {string|undefined} kind */
export const listed = kind => kind === 'rooms' ? 'Guests' : kind === 'stock' ? 'Orders to pack' : 'Door list';

/** In the order of the plan, where it can be read. @param {string} resource @param {any[]} rows */
async function sorted(resource, rows) {
  const {catalogue = {}} = await get(`api/resources/${encodeURIComponent(resource)}`).catch(() => ({}));
  const {sections = [], products = []} = catalogue, seated = sections.filter((/** @type {any} */ one) => one.at !== undefined).sort((/** @type {any} */ one, /** @type {any} */ other) => one.at - other.at);
  const order = new Map([...seated, ...sections, ...products].reverse().map((one, index, all) => [one.section ?? one.product, all.length - index]));
  const names = new Map(products.map((/** @type {any} */ one) => [one.product, one.name || one.product]));
  return {rows: [...rows].sort((one, other) => (order.get(one.pool) ?? 0) - (order.get(other.pool) ?? 0)), called: (/** @type {string} */ pool) => names.get(pool) ?? pool};
}

/** Who comes: by seat, by customer, on a day of a hotel, or what is to be packed, to be printed. @param {Events} events @param {string} resource @param {string} by @returns {Promise<Page>} */
async function door(events, resource, by) {
  const {name, venue, starts_at, timezone, kind} = events.get(resource) ?? {}, chosen = isDay(by) ? by : '', isHotel = kind === 'rooms' || !!chosen, isShop = kind === 'stock';
  const night = isHotel ? chosen || date(now(), timezone) : '';
  const [list, before] = await Promise.all([ask('door', {resource, ...(night ? {night} : {})}), isHotel ? ask('door', {resource, night: next(night, -1)}) : undefined]);
  const tab = (/** @type {string} */ text, /** @type {string} */ to) => el('a', {href: `#/staff/door/${encodeURIComponent(resource)}${to && `/${to}`}`, ...(to === by ? {'aria-current': 'true'} : {})}, text);
  const tabs = isHotel ? [tab('‹ Day before', next(night, -1)), nights(night, to => { location.hash = `#/staff/door/${encodeURIComponent(resource)}/${to}`; }), tab('Day after ›', next(night))] : isShop ? [] : [tab('By seat', ''), tab('By customer', 'names')];
  const button = (/** @type {string} */ text, /** @type {() => void} */ onclick) => el('button', {type: 'button', className: 'quiet', onclick}, text);
  const {rows, called} = await sorted(resource, list.rows);
  return {title: name || resource, again_ms: Infinity, made: [
    el('p', {className: 'soft'}, [listed(isHotel ? 'rooms' : kind), venue, isHotel ? day(night) : moment(starts_at, timezone), `as of ${stamp(new Date(now()).toISOString(), timezone)}`].filter(Boolean).join(' · '), ' ', tag(endedBy(events.get(resource)))),
    el('section', {className: 'card door'}, el('nav', {className: 'tabs', 'aria-label': 'List'}, ...tabs, button('Print', () => window.print()), button('CSV', () => save(`${resource} ${night}`, DOOR, rows))),
      ...(before ? guests(resource, night, rows, before.rows) : rows.length === 0 ? [hint(isShop ? 'There is nothing to pack: nothing is sold.' : 'Nobody comes: nothing is sold.')]
        : [isShop ? packs(resource, rows, called) : by === 'names' ? people(resource, parties(rows), 'Units') : places(resource, rows, called)]), ...more(list))]};
}

/** @param {string} resource @param {any[]} rows @param {string} title of what they have @param {(row: any) => string} [of] */
const people = (resource, rows, title, of = row => goods(row.items)) => table([['✓', 'tick'], ['Customer', 'name'], [title, 'wide'], ['Booking', 'rest']],
  rows.map(row => ['', who(row.customer), of(row), link(row.booking, 'booking', resource, row.booking)]));

/** @param {string} resource @param {any[]} rows @param {(pool: string) => string} called */
function packs(resource, rows, called) {
  const sums = new Map();
  for (const row of rows)
    sums.set(row.pool, (sums.get(row.pool) ?? 0) + row.quantity);
  const orders = parties(rows.map(row => ({...row, pool: called(row.pool)})));
  return el('div', {}, el('p', {className: 'line'}, el('b', {}, `${count(orders.length)} ${orders.length === 1 ? 'order' : 'orders'}`), el('span', {className: 'soft'}, [...sums].map(([pool, sum]) => `${count(sum)} × ${called(pool)}`).join(', '))),
    table([['✓', 'tick'], ['Order', 'name'], ['Customer', 'name'], ['Pieces', 'wide']], orders.map(row => [
      '', link(row.booking, 'booking', resource, row.booking), who(row.customer), goods(row.items)])));
}

/** @param {string} resource @param {any[]} rows @param {(pool: string) => string} called */
function places(resource, rows, called) {
  const rated = rows.some(row => row.rate && row.rate !== 'standard');
  /** @type {[string, string, (row: any) => Node|string][]} */
  const columns = [['✓', 'tick', () => ''], ['Seat', '', row => row.place ?? `${count(row.quantity)} ×`], ['Section', 'name', row => called(row.pool)], .../** @type {[string, string, (row: any) => string][]} */ (rated ? [['Rate', '', row => row.rate ?? '']] : []),
    ['Customer', 'name', row => who(row.customer)], ['Booking', 'rest', row => link(row.booking, 'booking', resource, row.booking)]];
  return table(columns.map(([title, className]) => [title, className]), rows.map(row => columns.map(([, , cell]) => cell(row))));
}

/** Who comes on a day, who stays, who leaves. @param {string} resource @param {string} night @param {any[]} rows of that night @param {any[]} before of the night before */
function guests(resource, night, rows, before) {
  const key = (/** @type {any} */ row) => `${row.booking} ${row.pool}`, here = new Set(rows.map(key)), there = new Set(before.map(key));
  /** @type {(some: any[]) => any[]} */
  const stays = some => parties(some).map(party => ({...party, from: some.find(row => row.booking === party.booking)?.items}));
  const groups = /** @type {[string, any[]][]} */ ([['Arrivals', stays(rows.filter(row => !there.has(key(row))))], ['In house', stays(rows.filter(row => there.has(key(row))))], ['Departures', stays(before.filter(row => !here.has(key(row))))]]);
  const stay = (/** @type {any} */ row) => row.items.map((/** @type {any} */ item) => {
    const all = (row.from ?? []).filter((/** @type {any} */ one) => one.room === item.section).map((/** @type {any} */ one) => one.night).sort();
    return [`${count(item.quantity)} × ${item.section}`, all.length > 0 && `${day(all[0])} to ${day(next(all[all.length - 1]))}`, item.rate !== 'standard' && item.rate].filter(Boolean).join(', ');
  }).join('; ');
  return groups.flatMap(([title, some]) => [el('h2', {}, title, ' ', el('span', {className: 'soft'}, count(some.length))), some.length === 0 ? el('p', {className: 'soft'}, 'Nobody.') : people(resource, some, 'Stay', stay)]);
}

/** A night to be chosen: at once by the mouse, and when all of it is typed by the keyboard. @param {string} night @param {(to: string) => void} choose */
function nights(night, choose) {
  const here = location.hash;
  let typed = false;
  const input = /** @type {HTMLInputElement} */ (el('input', {type: 'date', value: night, 'aria-label': 'Night'}));
  const go = () => { if (input.value && input.value !== night && location.hash === here) choose(input.value); };
  input.addEventListener('pointerdown', () => { typed = false; });
  input.addEventListener('keydown', event => { typed = event.key !== 'Enter'; if (!typed) go(); });
  input.addEventListener('change', () => { if (!typed) go(); });
  input.addEventListener('blur', go);
  return input;
}

/** A row for each booking, by customer, with what it has. @param {any[]} rows */
function parties(rows) {
  const found = new Map();
  for (const {customer, booking, pool: section, place, quantity, rate} of rows) {
    const party = found.get(booking) ?? {customer, booking, items: []}, same = party.items.find((/** @type {any} */ item) => item.section === section && item.rate === rate);
    if (!same)
      party.items.push({section, rate, quantity, seats: place ? [place] : undefined});
    else if (place)
      same.seats.push(place);
    else
      same.quantity += quantity;
    found.set(booking, party);
  }
  return [...found.values()].sort((one, other) => String(one.customer).localeCompare(String(other.customer)));
}

const DOOR = ['night', 'pool', 'place', 'seat', 'quantity', 'rate', 'customer', 'booking', 'cart'];
const REFUNDS = ['booking', 'customer', 'cart', 'units', 'items', 'total', 'currency', 'payment', 'sold_at', 'ended_at', 'why'];

/** As a file of RFC 4180; a text that a spreadsheet would compute is marked as one. @param {string} name @param {string[]} columns @param {any[]} rows */
function save(name, columns, rows) {
  const cell = (/** @type {any} */ value) => `"${plain(String(value ?? '')).replace(/^[=+\-@\t\r\uff0b\uff0d\uff1d\uff20]/, "'$&").replaceAll('"', '""')}"`;
  const file = new Blob([[columns, ...rows.map(row => columns.map(column => row[column]))].map(line => `${line.map(cell).join(',')}\r\n`).join('')], {type: 'text/csv'});
  const at = URL.createObjectURL(file);
  el('a', {href: at, download: `${name.trim()}.csv`}).click();
  window.setTimeout(() => URL.revokeObjectURL(at), 1000);
}

/** Saves all that were cancelled, not only those that are shown. @param {string} resource */
function refunds(resource) {
  const said = el('span', {className: 'soft', role: 'status'});
  const onclick = async () => {
    say(said, 'Reading …');
    try {
      const {rows, more, away} = await ask('refunds', {resource, state: 'cancelled'});
      save(`${resource} refunds`, REFUNDS, rows.map(row => ({...row, items: goods(row.items), total: amount(row.total, row.currency), why: why(row)})));
      say(said, more || away ? 'The file has not all of them: see usher-worker bookings --csv.' : '');
    } catch {
      say(said, 'The record does not answer just now. Try again.');
    }
  };
  return [el('button', {type: 'button', className: 'quiet', onclick}, 'CSV'), said];
}

/** @param {Events} events @param {string} word @returns {Promise<Page>} */
async function found(events, word) {
  const [carts, ofCart, ofCustomer, ofNumber, requests] = await Promise.all([ask('carts', {cart: word}), ask('bookings', {cart: word}), ask('bookings', {customer: word}), ask('bookings', {booking: word}),
    ask('history', {request: word})]);
  const like = [...events.values()].filter(row => `${row.name ?? ''} ${row.venue ?? ''} ${row.resource}`.toLowerCase().includes(word.toLowerCase()));
  const made = [];
  if (ofNumber.rows.length > 0)
    made.push(card('Booking', bookings(ofNumber.rows, events)));
  else if (requests.rows.length > 0) // one that made no booking, or changed one
    made.push(card('Request', steps(requests.rows, events)));
  if (ofCustomer.rows.length > 0)
    made.push(card('Customer', ...(customers ? [el('p', {className: 'line'}, who(word, 'Who that is'))] : []), bookings(ofCustomer.rows, events), ...more(ofCustomer)));
  for (const cart of carts.rows) {
    const totals = Object.entries(cart.totals ?? {}).map(([currency, total]) => money(Number(total), currency || undefined)).join(', ');
    made.push(card('Cart', el('p', {className: 'line'}, state(cart.state), el('span', {}, `${count(cart.units)} ${cart.units === 1 ? 'unit' : 'units'}`), el('b', {}, totals), link(cart.customer, 'find', cart.customer)),
      bookings(ofCart.rows.filter(row => row.customer === cart.customer), events)));
  }
  if (like.length > 0)
    made.push(card('On sale', el('ul', {className: 'plain'}, ...like.slice(0, EVENTS_MAX).map(row => el('li', {}, link(named(events, row.resource), 'resource', row.resource),
      el('small', {className: 'soft'}, [row.venue, moment(row.starts_at, row.timezone)].filter(Boolean).join(' · ')))))));
  return {title: word, made: made.length > 0 ? made : [el('p', {className: 'hint'}, `Nothing is known of “${word}”.`)]};
}

const more = (/** @type {{more: boolean, rows: any[]}} */ answer) => answer.more ? [hint(`Only the latest ${count(answer.rows.length)} are shown.`)] : [];

/** @param {Events} events @param {string} resource @param {string} booking @returns {Promise<Page>} */
async function booking(events, resource, booking) {
  const [{rows: [row]}, history] = await Promise.all([ask('bookings', {resource, booking}), ask('history', {resource, booking})]);
  const zone = events.get(resource)?.timezone;
  if (!row && history.rows.length === 0)
    return {title: booking, made: [el('p', {className: 'hint'}, `${named(events, resource)} has no booking “${booking}”.`)]};
  return {title: `Booking ${booking}`, made: [...(row ? [el('section', {className: 'card'}, facts(row, zone, named(events, resource)))] : []), card('Every step', steps(history.rows, events, booking))]};
}

/** How it sold from the first sale on, up to now. @param {any[]} rows moments @param {any} event @param {string|undefined} zone */
function curve(rows, event, zone) {
  if (rows.length === 0)
    return [];
  const at = rows.map(row => Date.parse(row.until)), from = at[0] - QUARTER_MS, span = Math.max(QUARTER_MS, now() - from), most = Math.max(1, event.total ?? 0, ...rows.map(row => row.units));
  const marks = ['', '', ''].map(() => el('small')), {svg, draw} = areas(['sold']);
  scale(marks, most);
  draw(0, rows.map((row, index) => [(at[index] - from) / span, Math.max(0, row.units) / most]));
  const half = rows.find(row => 2 * row.units >= rows[rows.length - 1].units);
  return [card('How it sold', el('div', {className: 'curve'}, svg, el('div', {className: 'scale', 'aria-hidden': 'true'}, ...marks)),
    el('div', {className: 'ends'}, el('small', {}, `first sale ${moment(new Date(from).toISOString(), zone, MADE)}, half of them by ${moment(half.until, zone, MADE)}`), el('small', {}, 'now')))];
}

/** @param {Events} events @param {string} resource @param {string} wanted state @param {Counted} counted @param {(page: Page) => void} show @returns {Promise<Page>} */
async function event(events, resource, wanted, counted, show) {
  const counting = Promise.all([recount(counted, 'refusals'), recount(counted, 'curve', {resource})]);
  const [{rows: [row]}, waiting, made] = await Promise.all([ask('resources', {resource}), ask('waiting', {resource}), ask('bookings', {resource, ...(wanted ? {state: wanted} : {})})]);
  if (!row)
    return {title: resource, made: [el('p', {className: 'hint'}, 'There is no such resource.')]};
  const zone = row.timezone ?? undefined;
  const names = /** @type {[string, string, string?][]} */ ([['sold', 'Sold', 'sold'], ['held', 'Held', 'held'], ['blocked', STATES.blocked, 'blocked'], ['waiting', 'Waiting'], ...(row.takings === undefined ? [] : [['takings', 'Takings']])]);
  // Made for each showing: an element is in one place only.
  const numbers = () => {
    const made = el('dl', {className: 'figures'});
    figures(made, names)({...Object.fromEntries(names.map(([name]) => [name, count(row[name] ?? 0)])), takings: money(row.takings ?? 0, row.currency)});
    return made;
  };
  const states = () => [['', 'All'], ...Object.entries(STATES).filter(([name]) => name !== 'mixed')].map(([name, text]) =>
    el('a', {href: `#/staff/resource/${encodeURIComponent(resource)}${name ? `/${name}` : ''}`, ...(name === wanted ? {'aria-current': 'true'} : {})}, text));
  const page = () => ({title: row.name || resource, made: [
    el('div', {className: 'summary'}, el('p', {className: 'soft'}, [row.venue, moment(row.starts_at, zone), zone && `${zone.split('/').pop()?.replaceAll('_', ' ')} time`].filter(Boolean).join(' · '), ' ', tag(row.ended ? 'over' : row.state === 'open' ? '' : row.state), ' · ', el('a', {href: `#/resource/${encodeURIComponent(resource)}`}, 'See it live'), ' · ', link(listed(row.kind), 'door', resource)), numbers()),
    ...curve(counted.curve?.rows ?? [], row, zone),
    ...(waiting.rows.length > 0 ? [card('Waiting list', table([['No.', 'number'], ['Customer', ''], ['Wants', 'wide'], ['Since', 'rest'], ['Until', 'rest'], ['Booking', 'rest']], waiting.rows.map(party => [
      String(party.position), link(party.customer, 'find', party.customer), goods(party.items), moment(party.since, zone), moment(party.until, zone), link(party.booking, 'booking', resource, party.booking)])), ...more(waiting))] : []),
    ...refused(counted.refusals, events, resource),
    card('Bookings', el('nav', {className: 'tabs', 'aria-label': 'State'}, ...states(), ...(wanted === 'cancelled' && made.rows.length > 0 ? refunds(resource) : [])), made.rows.length > 0 ? bookings(made.rows, events, true) : hint('There are none.'), ...more(made))]});
  show(page());
  await counting;
  return page();
}

/** @param {import('./main.js').Frame} frame @param {string} [kind] @param {string} [one] @param {string} [other] */
export function staff(frame, kind, one = '', other = '') {
  let closed = false, due = 0, seen = '';
  /** @type {Events|undefined} */
  let events;
  const title = el('h1', {}, 'Staff'), note = el('p', {className: 'stale-note', role: 'alert', hidden: true}), body = el('div', {className: 'parts staff'});
  const search = /** @type {HTMLInputElement} */ (el('input', {type: 'search', 'aria-label': 'Find', placeholder: 'Booking, customer, cart, or what is on sale', autocomplete: 'off', value: kind === 'find' ? one : ''}));
  frame.title('Staff');
  frame.live('wait', 'reading');
  frame.main.append(note, el('form', {className: 'filters', role: 'search', autocomplete: 'off', onsubmit: (/** @type {Event} */ submitted) => {
    submitted.preventDefault();
    if (search.value.trim())
      location.hash = `#/staff/find/${encodeURIComponent(search.value.trim())}`;
  }}, search, el('button', {className: 'quiet'}, 'Find')), el('div', {className: 'summary'}, title), body);

  /** @type {Counted} */
  const counted = {};

  function show(/** @type {Page} */ page) {
    if (closed)
      return;
    frame.title(page.title);
    say(title, page.title);
    frame.live('wait', `as of ${clock(page.at_ms ?? now())}`);
    const made = el('div', {}, ...page.made).innerHTML;
    if (made !== seen) // what is typed or chosen stays, as long as nothing changed
      body.replaceChildren(...page.made);
    seen = made;
    note.textContent = lacking;
    note.hidden = !lacking;
    frame.main.classList.remove('stale');
  }

  async function read() {
    let wait = AGAIN_MS;
    try {
      if (!document.hidden || !seen) {
        customers = (await frame.pages).customer_link ?? '';
        events = events ?? await get('api/resources').then(({resources}) => new Map(resources.map((/** @type {any} */ row) => [row.resource, row])), () => undefined);
        const known = events ?? new Map(); // without Redis: by their ids
        lacking = '';
        const page = await (kind === 'find' ? found(known, one) : kind === 'booking' ? booking(known, one, other) : kind === 'door' ? door(known, one, other) : kind ? event(known, one, other, counted, show) : today(known, counted, show));
        if (closed)
          return;
        show(page);
        wait = page.again_ms ?? AGAIN_MS;
      }
    } catch (fault) {
      if (closed)
        return;
      const {status} = /** @type {any} */ (fault);
      note.textContent = FAULTS[status] ?? (status >= 400 && status < 500 ? FAULTS[400] : 'The record does not answer just now. What is shown live elsewhere goes on.');
      note.hidden = false;
      frame.live('stale', 'not read');
      frame.main.classList.add('stale');
      wait = RETRY_MS;
      if (status >= 400 && status < 500)
        return;
    }
    if (wait !== Infinity)
      due = window.setTimeout(read, wait);
  }
  read();
  if (!kind)
    search.focus();
  return () => { closed = true; window.clearTimeout(due); frame.main.classList.remove('stale'); };
}

/** Who has a seat: a part of a resource's page. @param {string} resource @param {string|undefined} zone @param {string} event */
export function owner(resource, zone, event) {
  const made = el('div', {className: 'owner', 'aria-live': 'polite'}, hint('Choose a seat to see who has it.'));
  /** @type {{index: number, label: string, section: string, unit: number}|null} */
  let chosen = null;
  async function read() {
    const seat = chosen;
    if (!seat)
      return;
    try {
      const {rows: [row]} = await ask('bookings', {resource, section: seat.section, unit: seat.unit});
      if (seat === chosen)
        made.replaceChildren(el('h2', {}, `Seat ${seat.label}`), ...(row ? [facts(row, zone, event), el('p', {className: 'line'}, link('Every step of this booking', 'booking', resource, row.booking))] : [hint('Nobody has it.')]));
    } catch (fault) {
      if (seat === chosen)
        made.replaceChildren(el('h2', {}, `Seat ${seat.label}`), hint(FAULTS[/** @type {any} */ (fault).status] ?? 'The record does not answer just now. Choose the seat again.'));
    }
  }
  return {
    made,
    /** @param {{index: number, label: string, section: string, unit: number}} seat */
    choose(seat) { chosen = seat; read(); },
    show(/** @type {any} */ _, /** @type {number[]|undefined} */ touched) { if (chosen && touched?.includes(chosen.index)) read(); },
    stop() { chosen = null; },
  };
}
