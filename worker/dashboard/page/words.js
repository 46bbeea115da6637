// @ts-check
/** Names, numbers and times in the words of a box office. Knows nothing of the network. */

const whole = new Intl.NumberFormat('en-GB');

/** @param {number} value */
export const count = value => whole.format(value);

/** @param {number} part @param {number} total */
export const percent = (part, total) => total > 0 ? `${Math.floor(100 * part / total)} %` : '–';

/** Where nothing is free: what is held may come back. @param {number} held */
export const soldOut = held => held > 0 ? 'none left' : 'sold out';

const WHEN = {weekday: 'short', day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit'};

/** A text with `?` for what turns text around or is not seen (as producer/base/utf8.c has it), so that a name cannot look like another one.
 * @param {string} text */
export const plain = text => text.replace(/[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g, '?');

/** An instant in the place's own time, or in the viewer's where the place has none.
 * @param {string|null|undefined} instant @param {string|undefined} zone @param {Object<string, string>} [form] */
export function moment(instant, zone, form = WHEN) {
  if (!instant || Number.isNaN(Date.parse(instant)))
    return '';
  try {
    return new Intl.DateTimeFormat('en-GB', {...form, timeZone: zone || undefined}).format(new Date(instant));
  } catch {
    return new Intl.DateTimeFormat('en-GB', form).format(new Date(instant));
  }
}

/** The date of an instant at the place, as YYYY-MM-DD. @param {number} ms @param {string|undefined} zone */
export const date = (ms, zone) => moment(new Date(ms).toISOString(), zone, {year: 'numeric', month: '2-digit', day: '2-digit'}).split('/').reverse().join('-');

/** Whether there is such a date. @param {string} day as YYYY-MM-DD */
export const isDay = day => !Number.isNaN(Date.parse(day)) && new Date(day).toISOString().startsWith(day);

/** @param {number} ms */
export const clock = ms => new Intl.DateTimeFormat('en-GB', {hour: '2-digit', minute: '2-digit', second: '2-digit'}).format(new Date(ms));

/** An amount in minor units. @param {number} minor @param {string|undefined} currency */
export function money(minor, currency) {
  if (!currency)
    return count(minor);
  try {
    const form = new Intl.NumberFormat('en-GB', {style: 'currency', currency});
    return form.format(minor / 10 ** (form.resolvedOptions().maximumFractionDigits ?? 2));
  } catch {
    return `${count(minor)} ${currency}`;
  }
}

/** As a number that a spreadsheet reads, with the decimals of its currency. @param {number|null} minor @param {string|undefined} currency */
export function amount(minor, currency) {
  let digits = 0;
  try {
    digits = currency ? new Intl.NumberFormat('en-GB', {style: 'currency', currency}).resolvedOptions().maximumFractionDigits ?? 2 : 0;
  } catch { /* one that nobody knows: as it is recorded */ }
  const text = String(minor ?? '').padStart(minor === null ? 0 : digits + 1, '0');
  return digits > 0 && text ? `${text.slice(0, -digits)}.${text.slice(-digits)}` : text;
}

const DAY_MS = 86400000;

/** From when on nothing of it is sold, as usher-worker says it: its end; of rooms in a known time zone noon after the last night, which
 * only its own page knows. Infinity: never. @param {any} row @param {string} [lastNight] */
export function end(row, lastNight) {
  if (row.ends_at)
    return Date.parse(row.ends_at);
  return lastNight && row.kind === 'rooms' && row.timezone ? Date.parse(`${lastNight}T12:00Z`) + DAY_MS : Infinity;
}

/** Why nothing of it can be bought for good, or nothing. @param {any} row @param {number} at_ms @param {number} [end_ms] */
export const ended = (row, at_ms, end_ms = end(row)) => row.state === 'closed' ? 'closed' : end_ms <= at_ms ? 'over' : '';

/** How long from now. @param {number} ms */
export function distance(ms) {
  const minutes = Math.round(Math.abs(ms) / 60000), hours = Math.floor(minutes / 60), days = Math.floor(hours / 24);
  return days > 1 ? `${days} days` : hours > 0 ? `${hours} h ${minutes % 60} min` : `${minutes} min`;
}

export const KINDS = {seats: 'Seats', standing: 'Standing', rooms: 'Rooms', stock: 'Stock', mixed: 'Mixed'};
export const UNITS = {seats: 'places', standing: 'places', rooms: 'room nights', stock: 'pieces', mixed: 'units'};
export const STATES = ['sold', 'held', 'blocked', 'free'];
export const STATE_NAMES = {free: 'Free', held: 'Held', sold: 'Sold', blocked: 'Blocked'};

/** How long ago. @param {number} ms */
export const ago = ms => ms < 60000 ? `${Math.max(0, Math.round(ms / 1000))} s ago` : `${distance(ms)} ago`;

const SEEN = ['title', 'aria-label', 'textContent'];

/** @param {HTMLElement|SVGElement} made @param {string} text */
export const say = (made, text) => { made.textContent = plain(text); };

/** An element with properties and children; text is always text, and plain.
 * @param {string} tag @param {Object<string, any>} [properties] @param {...(Node|string)} children */
export function el(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    const shown = typeof value === 'string' && SEEN.includes(name) ? plain(value) : value;
    if (name in made && name !== 'list')
      made[name] = shown;
    else
      made.setAttribute(name, shown);
  }
  made.append(...children.map(child => typeof child === 'string' ? plain(child) : child));
  return made;
}

/** A bar of the states. @param {{total: number, free: number, held: number, sold: number, blocked: number}} counts */
export function bar(counts) {
  const made = el('div', {className: 'bar', role: 'img'});
  setBar(made, counts);
  return made;
}

/** @param {HTMLElement} made @param {{total: number, free: number, held: number, sold: number, blocked: number}} counts */
export function setBar(made, counts) {
  const total = Math.max(counts.total, counts.sold + counts.held + counts.blocked) || 1;
  if (made.childElementCount === 0)
    made.append(...['sold', 'held', 'blocked'].map(state => el('i', {className: state})));
  for (const part of /** @type {HTMLCollectionOf<HTMLElement>} */ (made.children))
    part.style.width = `${100 * counts[part.className] / total}%`;
  made.setAttribute('aria-label', STATES.map(state => `${count(counts[state])} ${state}`).join(', '));
}

/** Figures with their keys, kept up to date by the function returned.
 * @param {HTMLElement} list @param {[string, string, string?][]} names of the values, titles and keys */
export function figures(list, names) {
  const values = names.map(([name, title, key]) => {
    const value = el('dd', {}, '–');
    const term = el('dt', {}, ...(key ? [el('i', {className: `key ${key}`})] : []), title);
    list.append(el('div', {'data-figure': name}, term, value));
    return value;
  });
  return (/** @type {Object<string, string>} */ shown) => names.forEach(([name], index) => {
    if (values[index].textContent !== shown[name])
      values[index].textContent = shown[name];
  });
}
