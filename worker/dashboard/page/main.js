// @ts-check
/** Which page is shown, by the part of the address behind #; and what all pages have: theme, whether the picture is fresh. */
import {el, isDay, plain} from './words.js';
import {overview} from './overview.js';
import {partitions} from './partitions.js';
import {resource} from './resource.js';
import {staff} from './staff.js';
import {get} from './store.js';

/** @typedef {{main: HTMLElement, live: (state: 'live'|'wait'|'stale', text: string) => void, title: (text: string) => void, pages: Promise<{partitions: boolean, staff: boolean, customer_link?: string}>}} Frame */

const main = /** @type {HTMLElement} */ (document.getElementById('content'));
const nav = /** @type {HTMLElement} */ (document.getElementById('nav'));
const theme = /** @type {HTMLButtonElement} */ (document.getElementById('theme'));
const live = /** @type {HTMLElement} */ (document.getElementById('live'));

const ADDRESS_MAX = 1000;

/** @type {[RegExp, (frame: Frame, ...parts: string[]) => () => void][]} */
const pages = [
  [/^\/?$/, overview],
  [/^\/partitions$/, partitions],
  [/^\/resource\/([^/]+)$/, resource],
  [/^\/staff$/, staff],
  [/^\/staff\/(find|resource)\/([^/]+)$/, staff],
  [/^\/staff\/(resource)\/([^/]+)\/(held|confirmed|blocked|waiting|released|expired|cancelled|left)$/, staff],
  [/^\/staff\/(booking)\/([^/]+)\/([^/]+)$/, staff],
  [/^\/staff\/(door)\/([^/]+)(?:\/(names|\d{4}-\d\d-\d\d))?$/, staff],
  [/^\/embed\/([^/]+)$/, (frame, id) => resource(frame, id, true)],
];

const NAMES = {overview: ['#/', 'Overview'], staff: ['#/staff', 'Staff'], partitions: ['#/partitions', 'Partitions']};

/** @type {Frame} */
const frame = {
  main,
  live(state, text) {
    if (live.dataset.state === state && live.textContent === text)
      return;
    live.dataset.state = state;
    live.replaceChildren(el('span', {}, text));
    live.title = text;
  },
  pages: get('api/pages').catch(() => ({partitions: true, staff: false})),
  title(text) { document.title = text ? `${plain(text)} · usher` : 'usher'; },
};

let stop = () => {};
/** @type {string|undefined} */
let shown;

/** Whether a page of it is shown. @param {HTMLElement} link */
function mark(link) {
  const page = link.getAttribute('href')?.slice(1) ?? '';
  link.toggleAttribute('aria-current', shown === page || (page === '/' ? !shown : !!shown?.startsWith(`${page}/`)));
}

/** What an address says; undefined: it was cut in the middle of a character, or says nothing. @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** The page of an address, and its parts. @param {string} address @returns {[typeof pages[0][1], string[]]|undefined} */
function find(address) {
  for (const [pattern, page] of address.length <= ADDRESS_MAX ? pages : []) {
    const parts = pattern.exec(address)?.slice(1).filter(part => part !== undefined).map(decoded);
    if (parts)
      return parts.every(part => part?.trim() && !(/^\d{4}-\d\d-\d\d$/.test(part) && parts[0] === 'door' && !isDay(part))) ? [page, /** @type {string[]} */ (parts)] : undefined;
  }
  return undefined;
}

function route() {
  const address = location.hash.slice(1).split('?')[0], said = decoded(address) ?? address;
  if (said === shown)
    return;
  stop();
  shown = said;
  main.replaceChildren();
  main.className = '';
  window.scrollTo(0, 0);
  frame.live('wait', 'connecting');
  for (const link of nav.children)
    mark(/** @type {HTMLElement} */ (link));
  const found = find(address);
  if (found) {
    stop = found[0](frame, ...found[1]);
    return;
  }
  stop = () => {};
  frame.title('Not found');
  frame.live('wait', '');
  main.replaceChildren(el('div', {className: 'hint'}, el('h1', {}, 'There is no such page'), el('p', {}, el('a', {href: '#/'}, 'All resources'))));
}

const dark = window.matchMedia('(prefers-color-scheme: dark)');
function paint() {
  const chosen = localStorage.getItem('theme');
  document.documentElement.dataset.theme = chosen ?? (dark.matches ? 'dark' : 'light');
  theme.textContent = document.documentElement.dataset.theme === 'dark' ? 'Light' : 'Dark';
  window.dispatchEvent(new Event('themed'));
}
theme.addEventListener('click', () => {
  localStorage.setItem('theme', document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark');
  paint();
});
dark.addEventListener('change', paint);
frame.pages.then(pages => {
  nav.append(...Object.entries(NAMES).filter(([page]) => pages[page] ?? true).map(([, [href, name]]) => el('a', {href}, name)));
  for (const link of nav.children)
    mark(/** @type {HTMLElement} */ (link));
});
window.addEventListener('hashchange', route);
// A browser keeps a page that was left, and its stream with it, of which it opens only six in all.
window.addEventListener('pagehide', () => {
  stop();
  stop = () => {};
  shown = undefined;
});
window.addEventListener('pageshow', event => {
  if (event.persisted)
    route();
});
paint();
route();
