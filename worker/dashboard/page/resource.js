// @ts-check
/** One resource: its hall, its nights, its stock, live or as it was at a moment. */
import {clock, count, el, end, ended, figures, moment, plain, say, STATE_NAMES} from './words.js';
import {follow, get, isStale, now} from './store.js';
import {Past, Picture} from './picture.js';
import {calendar, nightsOf, season} from './calendar.js';
import {hall} from './hall.js';
import {rewind} from './rewind.js';
import {listed, owner} from './staff.js';
import {stock} from './stock.js';

const CURVE_MS = 2000;

/** What there is of a picture, as parts of a page; those that estimate know the past. @param {Picture} picture @param {Past} past @param {boolean} forStaff */
function parts(picture, past, forStaff) {
  const {sections = [], rooms = [], products = []} = picture.fields.catalogue ?? {}, made = [];
  if (sections.length > 0) {
    const {resource, timezone, name} = picture.fields, asked = forStaff && picture.seats ? owner(resource, timezone, name || resource) : undefined;
    made.push({title: '', part: hall(picture, asked?.choose)}, ...(asked ? [{title: '', part: asked}] : []));
  }
  if (sections.length > 0)
    made.push({title: 'Sections', part: stock(picture, sections.map((/** @type {any} */ one) => ({name: one.section, title: one.section, rates: one.rates, overbook: one.overbook})), null)});
  if (rooms.length > 0 && [...picture.pools.keys()].some(name => name.includes('/')))
    made.push({title: '', part: calendar(picture, now)});
  if (products.length > 0)
    made.push({title: sections.length > 0 || rooms.length > 0 ? 'Products' : '', part: stock(picture, products.map((/** @type {any} */ one) => ({name: one.product, title: one.name || one.product, rates: one.rates, overbook: one.overbook})),
      (shown, pool) => past.pace(shown, pool, now()))});
  return made;
}

/** @param {import('./main.js').Frame} frame @param {string} id @param {boolean} [embedded] the picture and nothing else */
export function resource(frame, id, embedded = false) {
  /** @type {Picture|undefined} */
  let picture;
  let past = new Past([]);
  /** @type {import('./store.js').Status|null|undefined} undefined: not yet heard */
  let status;
  /** @type {ReturnType<typeof parts>} */
  let shown = [];
  /** @type {ReturnType<typeof rewind>|undefined} */
  let back;
  /** @type {number|null} */
  let chosen = null;
  /** @type {any[]|null} */
  let early = []; // changes that come while all is read
  let closed = false, retry = 0, end_ms = Infinity, forStaff = false, missing = false;

  const name = el('h1', {}, id), where = el('p', {className: 'soft'}), over = el('span', {className: 'tag'}), shared = el('p', {className: 'soft'}), links = el('p', {}), list = el('a', {href: `#/staff/door/${encodeURIComponent(id)}`}, 'Door list'), numbers = el('dl', {className: 'figures'}), note = el('p', {className: 'stale-note', role: 'alert', hidden: true});
  const body = el('div', {className: 'parts'}), below = el('div', {});
  const setNumbers = figures(numbers, [...Object.entries(STATE_NAMES).map(([key, title]) => /** @type {[string, string, string]} */ ([key, title, key])), ['waiting', 'Waiting']]);
  frame.title(id);
  document.body.classList.toggle('embedded', embedded);
  frame.main.append(note, ...(embedded ? [over] : []), el('div', {className: 'summary'}, el('div', {}, el('a', {className: 'back', href: '#/'}, '‹ Overview'), name, where, shared, links), numbers), body, below);

  /** @param {Picture} seen @param {number[]} [touched] */
  function show(seen, touched) {
    const counts = seen.counts();
    setNumbers(Object.fromEntries(Object.entries(counts).map(([key, value]) => [key, count(value ?? 0)])));
    const free = [...seen.pools.keys()].reduce((sum, pool) => sum + seen.pool(pool).free, 0);
    shared.textContent = free > counts.free ? `Of ${count(free)} free units ${count(counts.free)} can be sold: they share a limit` : '';
    for (const {part} of shown)
      part.show(seen, touched);
  }

  function build() {
    if (!picture)
      return;
    const {fields} = picture;
    for (const {part} of shown)
      part.stop();
    try {
      shown = parts(picture, past, forStaff);
    } catch (fault) {
      shown = []; // somebody else wrote the catalogue or the layout
      console.warn(fault);
    }
    back?.stop();
    back = embedded ? undefined : rewind(past, now, choose, fields.total);
    say(list, listed(fields.kind));
    frame.title(fields.name || id);
    say(name, fields.name || id);
    end_ms = end(fields, nightsOf(picture).pop());
    where.replaceChildren(plain([fields.venue, moment(fields.starts_at, fields.timezone) || season(picture), (fields.starts_at || season(picture)) && fields.timezone && `${fields.timezone.split('/').pop()?.replaceAll('_', ' ')} time`].filter(Boolean).join(' · ')), ...(embedded ? [] : [' ', over]));
    body.replaceChildren(...shown.map(({title, part}) => el('section', {className: 'card'}, ...(title ? [el('h2', {}, title)] : []), part.made)));
    below.replaceChildren(...(back ? [back.made] : []));
    show(picture);
    age();
  }

  async function read() {
    early = early ?? [];
    try {
      const path = encodeURIComponent(id), fields = await get(`api/resources/${path}`);
      const layout = !fields.layout ? null : picture?.fields.layout === fields.layout ? picture.layout : await get(`api/layouts/${fields.layout}?resource=${path}`);
      if (closed)
        return;
      const same = picture && layout === picture.layout && picture.fields.catalogue_rev === fields.catalogue_rev;
      picture = new Picture(fields, layout);
      missing = false;
      const waiting = early ?? [];
      early = null;
      waiting.forEach(take);
      if (early !== null)
        return; // a change among them was not enough: all is being read again
      if (!same)
        build();
      else if (chosen === null)
        show(picture);
      if (!embedded) // which may be large, and is not waited for
        past.begin((await get(`api/history/${path}`)).changes);
      back?.draw();
    } catch (error) {
      const {status: refused = 0} = /** @type {any} */ (error);
      if (refused >= 400 && refused < 500 && refused !== 401)
        return gone();
      if (!picture && !closed) {
        note.hidden = false;
        note.textContent = 'It cannot be read just now.';
      }
      window.clearTimeout(retry);
      retry = window.setTimeout(read, 2000);
    }
  }

  /** @param {any} change */
  function take(change) {
    if (early || !picture) {
      (early = early ?? []).push(change);
      return;
    }
    const judged = picture.judge(change);
    if (judged === 'read') {
      early = [];
      read();
    } else if (judged === 'applies') {
      const touched = picture.apply(change);
      picture.fields.updated_ms = now();
      missing = false;
      past.add(now(), change);
      if (chosen === null)
        show(picture, touched);
    }
  }

  /** @param {number|null} at_ms */
  function choose(at_ms) {
    chosen = at_ms;
    if (picture)
      show(at_ms === null ? picture : past.at(picture, at_ms));
    age();
  }

  function gone() {
    missing = true;
    links.hidden = !picture;
    note.hidden = false;
    note.textContent = picture ? 'This resource is gone.' : 'There is no such resource, or it is not yet on sale.';
    frame.live('stale', 'unknown');
  }

  /** Says how old the picture is, and whether all is over. */
  function age() {
    over.textContent = picture ? ended(picture.fields, now(), end_ms) : '';
    if (missing || status === undefined)
      return;
    const stale = !picture || isStale(status, picture.fields.partition), why = !status ? 'not connected to the dashboard' : !status.redis ? 'Redis is away' : 'no worker decides for it';
    if (chosen !== null)
      frame.live('wait', `as of ${clock(chosen)}`);
    else if (picture)
      frame.live(stale ? 'stale' : 'live', stale ? 'stale' : 'live');
    frame.main.classList.toggle('stale', stale && !!picture);
    note.hidden = !(stale && picture);
    if (stale && picture) {
      const text = `Stale: ${why}. It shows the state of ${clock(picture.fields.updated_ms)}.`;
      note.textContent = note.textContent === text ? note.textContent : text;
    }
  }

  if (!embedded)
    frame.pages.then(pages => {
      forStaff = pages.staff;
      if (!forStaff || closed)
        return;
      links.append(el('a', {href: `#/staff/resource/${encodeURIComponent(id)}`}, 'Bookings'), ' · ', list);
      build();
    });
  const stop = follow(`api/changes?resource=${encodeURIComponent(id)}`, {
    position: place => {
      if (!picture || early || place.epoch !== picture.fields.epoch || place.rev !== picture.fields.rev)
        read();
    },
    change: take,
    reload: () => { early = []; read(); },
    gone,
    status: heard => { status = heard; age(); },
  });
  const first = window.setTimeout(() => { if (!picture) read(); }, 1500); // says that there is none, where the stream is refused
  const tick = window.setInterval(() => { if (chosen === null) back?.draw(); }, CURVE_MS);
  return () => {
    closed = true;
    stop();
    window.clearTimeout(first);
    window.clearTimeout(retry);
    window.clearInterval(tick);
    back?.stop();
    for (const {part} of shown)
      part.stop();
    document.body.classList.remove('embedded');
  };
}
