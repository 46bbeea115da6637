// @ts-check
/** A hotel: room types by nights, thirty at a time from tonight on. */
import {count, date, el, money, moment} from './words.js';

const DAY_MS = 86400000, SHOWN = 30;
const day = (/** @type {number} */ ms) => new Date(ms).toISOString().slice(0, 10);
/** The night so many days later. @param {string} night @param {number} days */
const after = (night, days) => day(Date.parse(night) + days * DAY_MS);
const named = (/** @type {string} */ night, /** @type {Intl.DateTimeFormatOptions} */ form) => new Intl.DateTimeFormat('en-GB', {...form, timeZone: 'UTC'}).format(new Date(night));

/** @param {import('./picture.js').Picture} first @param {() => number} now */
export function calendar(first, now) {
  let picture = first;
  const nights = nightsOf(picture);
  const firstNight = nights[0], lastNight = nights[nights.length - 1], current = date(now(), picture.fields.timezone);
  /** Of what is over: where it had guests. */
  const lastTaken = () => nightsAmong([...picture.pools.keys()].filter(name => picture.pool(name).free < picture.pool(name).total)).pop() ?? lastNight;
  let begin = current < firstNight ? firstNight : current > lastNight ? [firstNight, after(lastTaken(), 1 - SHOWN)].sort()[1] : current;
  const title = el('h2', {'aria-live': 'polite'}), grid = el('div', {role: 'table', 'aria-label': 'Free rooms by night', className: 'nights'}), fullest = el('p', {className: 'soft'});
  const turn = (/** @type {number} */ by) => {
    begin = after(begin, by * SHOWN);
    draw();
  };
  const button = (/** @type {string} */ text, /** @type {string} */ label, /** @type {number} */ by) => /** @type {HTMLButtonElement} */ (el('button', {type: 'button', className: 'quiet', 'aria-label': label, onclick: () => turn(by)}, text));
  const back = button('‹', 'Earlier nights', -1), forth = button('›', 'Later nights', 1);
  const made = el('div', {className: 'calendar picture'}, el('div', {className: 'months'}, back, title, forth), grid, fullest);
  const narrow = window.matchMedia('(max-width: 1200px)');

  /** What the catalogue says of a room on a night. @param {string} room @param {string} night */
  function terms(room, night) {
    const {currency, catalogue} = picture.fields;
    let price, over = 0;
    for (const entry of catalogue?.rooms ?? [])
      if (entry.room === room && entry.from <= night && night < entry.to) {
        const index = Math.round((Date.parse(night) - Date.parse(entry.from)) / DAY_MS);
        const rate = Object.values(entry.rates ?? {})[0];
        price = rate?.[index] ?? price;
        over = Array.isArray(entry.overbook) ? entry.overbook[index] ?? over : entry.overbook ?? over;
      }
    return {price: price === undefined ? '' : money(price, currency), over};
  }

  function draw() {
    const rooms = [...new Set((picture.fields.catalogue?.rooms ?? []).map((/** @type {any} */ one) => one.room))];
    const all = Array.from({length: SHOWN}, (_, index) => after(begin, index)), days = all.filter(night => rooms.some(room => picture.pools.has(`${room}/${night}`)));
    const form = /** @type {const} */ ({day: 'numeric', month: 'short'});
    title.textContent = `${named(begin, form)} – ${named(all[SHOWN - 1], {...form, year: 'numeric'})}`;
    back.disabled = begin <= firstNight;
    forth.disabled = all[SHOWN - 1] >= lastNight;
    grid.classList.toggle('upright', narrow.matches);
    grid.style.setProperty('--days', String(Math.max(14, days.length)));
    grid.style.setProperty('--rooms', String(rooms.length));
    grid.style.setProperty('--name', `${Math.max(...rooms.map(room => room.length))}ch`);
    const dayHead = days.map(night => {
      const weekday = new Date(night).getUTCDay();
      return el('div', {role: 'columnheader', className: `day${weekday % 6 === 0 ? ' weekend' : ''}${night === current ? ' today' : ''}`},
        el('small', {}, narrow.matches ? named(night, {weekday: 'short'}) : named(night, {weekday: 'narrow'})), narrow.matches ? named(night, form) : String(Number(night.slice(8))), ...(!narrow.matches && (night === begin || night.endsWith('-01')) ? [el('small', {}, named(night, {month: 'short'}))] : []));
    });
    const cells = (/** @type {string} */ room) => days.map(night => cell(room, night));
    const lines = narrow.matches
      ? [[el('div', {role: 'columnheader', className: 'corner'}, 'Night'), ...rooms.map(room => el('div', {role: 'columnheader', className: 'room', title: room}, room))],
        ...days.map((night, index) => [dayHead[index], ...rooms.map(room => cell(room, night))])]
      : [[el('div', {role: 'columnheader', className: 'corner'}, 'Room'), ...dayHead], ...rooms.map(room => [el('div', {role: 'rowheader', className: 'room', title: room}, room), ...cells(room)])];
    grid.replaceChildren(...lines.map(line => el('div', {role: 'row', className: 'line'}, ...line)));
    const full = days.map(night => {
      const counts = rooms.map(room => picture.pool(`${room}/${night}`)), total = counts.reduce((sum, one) => sum + one.total, 0);
      return {night, part: total ? counts.reduce((sum, one) => sum + one.total - one.free, 0) / total : 0};
    }).filter(({night, part}) => part > 0 && (night >= current || days[days.length - 1] < current)).sort((one, other) => other.part - one.part).slice(0, 3);
    fullest.textContent = full.length > 0 ? `Fullest nights: ${full.map(({night, part}) => `${named(night, {weekday: 'short', day: 'numeric', month: 'short'})} (${Math.floor(100 * part)} %)`).join(', ')}` : 'No room is taken on these nights.';
  }

  /** @param {string} room @param {string} night */
  function cell(room, night) {
    const name = `${room}/${night}`;
    if (!picture.pools.has(name))
      return el('div', {role: 'cell', className: 'cell none', 'aria-label': 'not offered'}, '');
    const counts = picture.pool(name), {price, over} = terms(room, night), part = counts.total ? (counts.total - counts.free) / counts.total : 0;
    const beyond = counts.sold + counts.held + counts.blocked - (counts.total - over);
    const words = `${named(night, {weekday: 'long', day: 'numeric', month: 'long'})}, ${room}: ${count(counts.free)} of ${count(counts.total)} free, ${count(counts.held)} held, ${count(counts.sold)} sold${beyond > 0 ? `, ${count(beyond)} over` : ''}${price ? `, ${price}` : ''}`;
    const made = el('div', {role: 'cell', title: words, 'aria-label': words, 'data-night': name,
      className: `cell${counts.free === 0 ? ' full' : ''}${night < current && current <= nights[nights.length - 1] ? ' past' : ''}${night === current ? ' today' : ''}${beyond > 0 ? ' beyond' : ''}`}, el('b', {}, counts.free === 0 ? 'full' : count(counts.free)), el('small', {}, beyond > 0 ? `${count(beyond)} over` : counts.free === 0 ? '' : price.replace(/[.]00$/, '')));
    made.style.setProperty('--part', `${Math.round(100 * part)}%`);
    return made;
  }

  narrow.addEventListener('change', draw);
  draw();
  return {
    made,
    /** @param {import('./picture.js').Picture} next */
    show(next) { picture = next; draw(); },
    stop() { narrow.removeEventListener('change', draw); },
  };
}

/** Nights from the first on. @param {string[]} names of pools */
const nightsAmong = names => names.filter(name => name.includes('/')).map(name => name.slice(name.lastIndexOf('/') + 1)).sort();

/** All nights of a resource. @param {import('./picture.js').Picture} picture */
export const nightsOf = picture => nightsAmong([...picture.pools.keys()]);

/** When a resource with nights is: its first and last. @param {import('./picture.js').Picture} picture */
export const season = picture => {
  const nights = nightsOf(picture);
  return nights.length > 0 ? `${moment(nights[0], 'UTC').slice(0, -7)} – ${moment(nights[nights.length - 1], 'UTC').slice(0, -7)}` : '';
};
