// @ts-check
/** Which page is shown, by the part of the address behind #; and what all pages have: theme, whether the picture is fresh. */
import {el} from './words.js';
import {overview} from './overview.js';
import {partitions} from './partitions.js';
import {resource} from './resource.js';
import {staff} from './staff.js';
import {get} from './store.js';

/** @typedef {{main: HTMLElement, live: (state: 'live'|'wait'|'stale', text: string) => void, title: (text: string) => void, pages: Promise<{partitions: boolean, staff: boolean}>}} Frame */

const main = /** @type {HTMLElement} */ (document.getElementById('content'));
const nav = /** @type {HTMLElement} */ (document.getElementById('nav'));
const theme = /** @type {HTMLButtonElement} */ (document.getElementById('theme'));
const live = /** @type {HTMLElement} */ (document.getElementById('live'));

/** @type {[RegExp, (frame: Frame, ...parts: string[]) => () => void][]} */
const pages = [
  [/^\/?$/, overview],
  [/^\/partitions$/, partitions],
  [/^\/resource\/([^/]+)$/, resource],
  [/^\/staff$/, staff],
  [/^\/staff\/(find|resource|booking|door)\/([^/]+)(?:\/([^/]+))?$/, staff],
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
  title(text) { document.title = text ? `${text} · usher` : 'usher'; },
};

let stop = () => {};
/** @type {string|undefined} */
let shown;

/** Whether a page of it is shown. @param {HTMLElement} link */
function mark(link) {
  const page = link.getAttribute('href')?.slice(1) ?? '';
  link.toggleAttribute('aria-current', shown === page || (page === '/' ? !shown : !!shown?.startsWith(`${page}/`)));
}

function route() {
  const [address] = decodeURI(location.hash.slice(1)).split('?');
  if (address === shown)
    return;
  stop();
  shown = address;
  main.replaceChildren();
  main.className = '';
  window.scrollTo(0, 0);
  frame.live('wait', 'connecting');
  for (const link of nav.children)
    mark(/** @type {HTMLElement} */ (link));
  for (const [pattern, page] of pages) {
    const found = pattern.exec(location.hash.slice(1).split('?')[0]);
    if (found) {
      stop = page(frame, ...found.slice(1).filter(part => part !== undefined).map(decodeURIComponent));
      return;
    }
  }
  stop = () => {};
  frame.title('Not found');
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
