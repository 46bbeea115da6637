// @ts-check
/** A hall, drawn on a canvas: seats where the layout has them, or in rows; sections by capacity as shapes. A change is drawn
 * without drawing the rest. */
import {count, el, money, plain, STATE_NAMES} from './words.js';

const STATES = {'.': 'free', h: 'held', s: 'sold', x: 'blocked'};
const PULSE_MS = 900, PAD = 24, LABEL = 5; // room below a section by capacity, for what is free there
const NAMED = 20, NAME = 64, LETTER = 7; // pixels between seats, from which on rows and seats have names; how long that of a row is, and a letter of it

/** @typedef {{x: number, y: number, label: string, number: string, wide: number, row: string, section: string, unit: number, zone: string, features: string[]}} Seat */
/** @typedef {{x: number, y: number, width: number, height: number, section: string, capacity: boolean}} Block */

/** Blocks beside and below each other, about as wide as the stage can be seen. @param {{width: number, height: number}[]} sizes @param {number} least how wide they may be at least */
function shelve(sizes, least) {
  const area = sizes.reduce((sum, {width, height}) => sum + (width + 2) * (height + 3), 0);
  const widest = Math.max(...sizes.map(({width}) => width));
  const room = Math.max(widest, least, sizes.length > 3 ? Math.sqrt(area) * 1.35 : 0);
  const places = [], shelves = [];
  let shelf = {y: 0, width: 0, height: 0, from: 0};
  sizes.forEach(({width, height}, index) => {
    if (shelf.width > 0 && shelf.width + 2 + width > room) {
      shelves.push({...shelf, to: index});
      shelf = {y: shelf.y + shelf.height + 3, width: 0, height: 0, from: index};
    }
    places.push({x: shelf.width + (shelf.width > 0 ? 2 : 0), y: shelf.y});
    shelf.width = places[index].x + width;
    shelf.height = Math.max(shelf.height, height);
  });
  shelves.push({...shelf, to: sizes.length});
  const full = Math.max(...shelves.map(({width}) => width));
  for (const {from, to, width} of shelves)
    for (const place of places.slice(from, to))
      place.x += (full - width) / 2;
  return places;
}

/** The lowest and the highest. @param {number[]} of */
const extent = of => of.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)], [Infinity, -Infinity]);

/** Where everything is: rows whose seats have a place there, what has none below them. @param {import('./picture.js').Picture} picture */
export function survey(picture) {
  /** @type {Seat[]} */
  const seats = [];
  /** @type {Block[]} */
  const blocks = [];
  const sections = picture.layout?.sections ?? [], placed = (/** @type {any} */ row) => row.x && row.y;
  const standing = (picture.fields.catalogue?.sections ?? []).filter((/** @type {any} */ one) => !sections.some((/** @type {any} */ section) => section.section === one.section));
  const take = (/** @type {any} */ section, /** @type {any[]} */ rows, /** @type {(row: number, seat: number, size: number) => [number, number]} */ place) => rows.forEach((row, index) => {
    /** @type {string[]} */
    const labels = row.numbers?.map((/** @type {string} */ number) => row.row ? `${row.row}-${number}` : number) ?? row.labels;
    const wide = labels.reduce((most, label) => Math.max(most, label.length), 0);
    labels.map(plain).forEach((/** @type {string} */ label, /** @type {number} */ seat) => {
      const [x, y] = place(index, seat, labels.length);
      const features = Object.entries(row.features ?? {}).filter(([, where]) => /** @type {number[]} */ (where).includes(seat + 1)).map(([name]) => name);
      const number = label.startsWith(plain(row.row)) ? label.slice(row.row.length).replace(/^[\s-]+/, '') : label;
      seats[row.at + seat] = {x, y, label, number, wide, row: plain(row.row), section: section.section, unit: row.at + seat - section.rows[0].at, zone: row.zone ?? '', features};
    });
  });
  for (const section of sections) {
    const rows = section.rows.filter(placed);
    take(section, rows, (row, seat) => [rows[row].x[seat], rows[row].y[seat]]);
  }
  const known = Object.values(seats), space = known.length > 0 ? spacing(known) : 1;
  const [left, right] = known.length > 0 ? extent(known.map(({x}) => x)) : [0, 0], below = known.length > 0 ? extent(known.map(({y}) => y))[1] + 4 * space : 0;
  const loose = sections.map((/** @type {any} */ section) => ({section, rows: section.rows.filter((/** @type {any} */ row) => !placed(row))})).filter((/** @type {any} */ {rows}) => rows.length > 0);
  const crowd = standing.map((/** @type {any} */ one) => {
    const height = Math.max(2, Math.min(10, Math.sqrt(one.capacity / 6)));
    return {width: Math.max(8, Math.min(36, one.capacity / height / 2)), height};
  });
  const sizes = [...loose.map((/** @type {any} */ {rows}) => ({width: Math.max(...rows.map((/** @type {any} */ row) => row.labels.length)), height: rows.length})), ...crowd.map(({width, height}) => ({width, height: height + LABEL - 3}))];
  const places = sizes.length > 0 ? shelve(sizes, (right - left) / space) : [], full = Math.max(0, ...places.map(({x}, index) => x + sizes[index].width));
  const x0 = known.length > 0 ? (left + right - full * space) / 2 : 0;
  places.forEach((place, index) => {
    const x = x0 + place.x * space, y = below + place.y * space, {width} = sizes[index], {section, rows} = loose[index] ?? {}, one = standing[index - loose.length];
    if (rows)
      take(section, rows, (row, seat, size) => [x + ((width - size) / 2 + seat + 0.5) * space, y + (row + 0.5) * space]);
    blocks.push({x, y, width: width * space, height: (rows ? rows.length : crowd[index - loose.length].height) * space, section: (section ?? one).section, capacity: !rows});
  });
  return {seats, blocks, space};
}

/** The usual distance between neighbours. @param {Seat[]} seats */
function spacing(seats) {
  const found = [];
  for (let index = 1; index < seats.length; index += Math.max(1, Math.floor(seats.length / 2000)))
    if (seats[index].row === seats[index - 1].row)
      found.push(Math.hypot(seats[index].x - seats[index - 1].x, seats[index].y - seats[index - 1].y));
  found.sort((one, other) => one - other);
  return found[Math.floor(found.length / 4)] || 20;
}

/** The first seat of each row and section, which has the row's name beside it; not where the row goes on there, in another section.
 * @param {Seat[]} seats @param {number} space */
function headsOf(seats, space) {
  /** @type {Map<string, Seat[]>} */
  const rows = new Map();
  for (const seat of seats)
    rows.get(seat.row)?.push(seat) ?? rows.set(seat.row, [seat]);
  return new Set(seats.filter((seat, index) => {
    const before = seats[index - 1], x = seat.x - space;
    return (before?.section !== seat.section || before.zone !== seat.zone || before.row !== seat.row)
      && !rows.get(seat.row)?.some(other => other !== seat && Math.hypot(other.x - x, other.y - seat.y) < 0.8 * space);
  }));
}

/** @param {import('./picture.js').Picture} first @param {(seat: Seat & {index: number}) => void} [chosen] called for a seat that is clicked, tapped or entered */
export function hall(first, chosen) {
  let picture = first;
  const {seats, blocks, space} = survey(picture), crowds = blocks.filter(({capacity}) => capacity), heads = headsOf(seats, space);
  const canvas = /** @type {HTMLCanvasElement} */ (el('canvas', {className: 'picture', tabIndex: 0, role: 'application',
    'aria-label': 'Plan of the hall. Arrow keys go from seat to seat, plus and minus zoom, 0 shows all.'}));
  const above = /** @type {HTMLCanvasElement} */ (el('canvas', {className: 'above', 'aria-hidden': 'true'}));
  const tip = el('div', {className: 'tip', role: 'status', hidden: true});
  const button = (/** @type {string} */ text, /** @type {string} */ label, /** @type {() => void} */ onclick) => el('button', {type: 'button', className: 'quiet', 'aria-label': label, title: label, onclick}, text);
  const frame = el('div', {className: 'hall'}, canvas, above, tip);
  const made = el('div', {}, el('div', {className: 'zoom'}, el('span', {className: 'soft'}, seats.length > 0 ? `${count(seats.length)} seats` : ''),
    button('−', 'Zoom out', () => zoom(1 / 1.5)), button('+', 'Zoom in', () => zoom(1.5)), button('Fit', 'Fit the hall', () => fit(true))), frame);
  const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d', {alpha: false})), over = /** @type {CanvasRenderingContext2D} */ (above.getContext('2d'));
  const still = window.matchMedia('(prefers-reduced-motion: reduce)');
  const xs = [...seats.map(({x}) => x), ...blocks.flatMap(({x, width}) => [x, x + width])], ys = [...seats.map(({y}) => y), ...blocks.flatMap(({y, height}) => [y, y + height])];
  const [left, right] = extent(xs), [top, bottom] = extent(ys);
  const deep = Math.max(2 * space, (bottom - top) * 0.04);
  const stage = {x: left + (right - left) * 0.3, y: top - 3 * space - deep, width: (right - left) * 0.4, height: deep};
  const [outer] = extent([left - space, ...[...heads].map(({x, row}) => x - space * (0.65 + Math.min(NAME, LETTER * row.length) / NAMED))]);
  const bounds = {x: outer, y: stage.y - space, width: right - outer + space, height: bottom - stage.y + 3 * space};
  let scale = 1, x0 = 0, y0 = 0, least = 1, width = 0, height = 0, dots = 1, cursor = -1, ink = colours();
  let drawn = {x0, y0, scale: 0};
  /** @type {{index: number, since: number}[]} */
  let pulses = [];

  function colours() {
    const style = getComputedStyle(document.documentElement), of = (/** @type {string} */ name) => style.getPropertyValue(`--${name}`).trim();
    return {ground: of('raised'), ink: of('ink'), soft: of('soft'), line: of('line'), edge: of('line-strong'), sold: of('accent'), held: of('held'), heldSoft: of('held-soft'), blocked: of('blocked')};
  }

  const state = (/** @type {number} */ index) => STATES[picture.seats[index]] ?? 'free';
  const at = (/** @type {Seat} */ seat) => [x0 + seat.x * scale, y0 + seat.y * scale];

  // ---- drawing: each state's seat is drawn once, and then copied ----
  /** @type {Map<string, HTMLCanvasElement>} */
  const glyphs = new Map();

  /** @param {string} kind @param {number} radius */
  function glyph(kind, radius) {
    const key = `${kind} ${radius} ${dots} ${ink.ground}`, known = glyphs.get(key);
    if (known)
      return known;
    if (glyphs.size > 40)
      glyphs.clear();
    const drawn = /** @type {HTMLCanvasElement} */ (el('canvas')), side = radius + 2;
    drawn.width = drawn.height = Math.ceil(2 * side * dots);
    const of = /** @type {CanvasRenderingContext2D} */ (drawn.getContext('2d'));
    of.setTransform(dots, 0, 0, dots, drawn.width / 2, drawn.height / 2);
    of.lineWidth = Math.max(1, Math.min(2, radius / 6));
    of.strokeStyle = {free: ink.edge, held: ink.held, sold: ink.sold, blocked: ink.blocked}[kind] ?? ink.edge;
    of.beginPath();
    if (kind === 'blocked') {
      const arm = radius * 0.75;
      of.moveTo(-arm, -arm);
      of.lineTo(arm, arm);
      of.moveTo(arm, -arm);
      of.lineTo(-arm, arm);
    } else {
      of.arc(0, 0, radius, 0, 7);
    }
    if (kind === 'sold' || kind === 'held') {
      of.fillStyle = kind === 'sold' ? ink.sold : ink.heldSoft;
      of.fill();
    }
    of.stroke();
    if (kind === 'held') {
      of.beginPath();
      for (const shift of [-0.5, 0, 0.5]) { // chords at 45 degrees
        const off = shift * radius, half = Math.sqrt(radius * radius - off * off) * Math.SQRT1_2, aside = off * Math.SQRT1_2;
        of.moveTo(-half + aside, half + aside);
        of.lineTo(half + aside, -half + aside);
      }
      of.stroke();
    }
    glyphs.set(key, drawn);
    return drawn;
  }

  /** @param {string} kind @param {number[]} some */
  function drawSeats(kind, some) {
    const radius = space * scale * 0.4, snap = (/** @type {number} */ at) => Math.round(at * dots) / dots;
    if (radius < 2.5) {
      const side = Math.max(1, Math.round(radius * 2 * dots)) / dots;
      pen.fillStyle = {free: ink.line, held: ink.held, sold: ink.sold, blocked: ink.blocked}[kind] ?? ink.line;
      for (const index of some) {
        const [x, y] = at(seats[index]);
        pen.fillRect(snap(x - side / 2), snap(y - side / 2), side, side);
      }
      return;
    }
    const drawn = glyph(kind, radius), side = drawn.width / dots;
    for (const index of some) {
      const [x, y] = at(seats[index]);
      pen.drawImage(drawn, snap(x - side / 2), snap(y - side / 2), side, side);
    }
    if (space * scale > NAMED)
      writeSeats(kind, some, radius);
  }

  /** The names of seats in them: with the row where there is room for that in all of the row. @param {string} kind @param {number[]} some @param {number} radius */
  function writeSeats(kind, some, radius) {
    const size = Math.max(9, Math.min(16, radius / 2)), room = 1.75 * radius, most = room / (0.6 * size);
    const apart = kind === 'held' ? ink.heldSoft : kind === 'blocked' ? ink.ground : ''; // from what crosses such a seat
    pen.font = `600 ${size}px system-ui, sans-serif`;
    pen.textAlign = 'center';
    pen.textBaseline = 'middle';
    pen.lineWidth = 4;
    pen.lineJoin = 'round';
    pen.strokeStyle = apart;
    pen.fillStyle = {free: ink.soft, sold: ink.ground}[kind] ?? ink.ink;
    for (const index of some) {
      const {label, number, wide} = seats[index], [x, y] = at(seats[index]), text = wide <= most ? label : number.length <= most ? number : '';
      if (apart)
        pen.strokeText(text, x, y, room);
      pen.fillText(text, x, y, room);
    }
  }

  /** The name of a section above it, or of one by capacity what is free below it. @param {Block} block @param {string} text @param {boolean} below */
  function write(block, text, below) {
    const wide = block.width * scale, aside = Math.min(30, scale * space), size = Math.max(10, Math.min(15, 0.9 * scale * space)), y = y0 + (block.y + (below ? block.height : 0)) * scale;
    pen.font = `600 ${size}px system-ui, sans-serif`;
    pen.textAlign = 'center';
    pen.textBaseline = 'alphabetic';
    pen.fillStyle = ink.ground;
    pen.fillRect(x0 + block.x * scale - aside, below ? y + 1 : y - size - 6, wide + 2 * aside, size + 5);
    pen.fillStyle = ink.soft;
    if (wide > 40)
      pen.fillText(text, x0 + block.x * scale + wide / 2, below ? y + size + 3 : y - 5, wide + 2 * aside);
  }

  /** @param {Block} block */
  function drawCrowd(block) {
    const x = x0 + block.x * scale, y = y0 + block.y * scale, wide = block.width * scale, high = block.height * scale;
    const counts = picture.pool(block.section), taken = counts.sold + counts.held + counts.blocked, total = Math.max(counts.total, taken) || 1;
    pen.fillStyle = ink.ground;
    pen.fillRect(x, y, wide, high);
    let from = x;
    for (const [kind, fill, hatch] of [['sold', ink.sold, ink.sold], ['held', ink.heldSoft, ink.held], ['blocked', ink.ground, ink.blocked]]) {
      const part = wide * counts[kind] / total;
      pen.save();
      pen.beginPath();
      pen.rect(from, y, part, high);
      pen.clip();
      pen.fillStyle = fill;
      pen.fill();
      pen.beginPath();
      for (let stripe = from - high; stripe < from + part; stripe += 8) { // at 45 degrees, as on a seat
        pen.moveTo(stripe, y + high);
        pen.lineTo(stripe + high, y);
      }
      pen.strokeStyle = hatch;
      pen.lineWidth = kind === 'held' ? 2.5 : 1;
      pen.stroke();
      pen.restore();
      from += part;
    }
    pen.strokeStyle = ink.edge;
    pen.lineWidth = 1;
    pen.strokeRect(x, y, wide, high);
    write(block, `${count(counts.free)} of ${count(counts.total)} free${taken > counts.total ? ` · ${count(taken - counts.total)} over` : ''}`, true);
  }

  function drawStage() {
    const x = x0 + stage.x * scale, y = y0 + stage.y * scale, wide = stage.width * scale, high = stage.height * scale;
    pen.fillStyle = ink.line;
    pen.beginPath();
    pen.moveTo(x, y);
    pen.lineTo(x + wide, y);
    pen.lineTo(x + wide, y + high * 0.6);
    pen.quadraticCurveTo(x + wide / 2, y + high * 1.4, x, y + high * 0.6);
    pen.closePath();
    pen.fill();
    pen.fillStyle = ink.soft;
    pen.font = `600 ${Math.max(9, Math.min(14, high * 0.5))}px system-ui, sans-serif`;
    pen.textAlign = 'center';
    pen.textBaseline = 'middle';
    if (high > 8)
      pen.fillText('Stage', x + wide / 2, y + high * 0.5);
  }

  /** All that is in a part of the canvas. @param {number} left @param {number} top @param {number} wide @param {number} high */
  function drawPart(left, top, wide, high) {
    /** @type {Object<string, number[]>} */
    const by = {free: [], held: [], sold: [], blocked: []};
    const margin = space * scale, named = margin > NAMED ? NAME : 0;
    seats.forEach((seat, index) => {
      const x = x0 + seat.x * scale - left, y = y0 + seat.y * scale - top;
      if (x > -margin && y > -margin && x < wide + margin + named && y < high + margin)
        by[state(index)].push(index);
    });
    pen.save();
    pen.beginPath();
    pen.rect(left, top, wide, high);
    pen.clip();
    pen.fillStyle = ink.ground;
    pen.fillRect(left, top, wide, high);
    drawStage();
    blocks.forEach(block => write(block, plain(block.section), false));
    crowds.forEach(drawCrowd);
    if (named)
      drawRowNames(Object.values(by).flat());
    for (const [kind, some] of Object.entries(by))
      drawSeats(kind, some);
    pen.restore();
  }

  function draw() {
    if (canvas.width === 0 || canvas.height === 0)
      return; // not laid out yet
    drawn = {x0, y0, scale};
    pen.setTransform(dots, 0, 0, dots, 0, 0);
    drawPart(0, 0, width + 1, height + 1);
    drawAbove();
  }

  /** What stays on the canvas is copied to its place, and what comes into sight is drawn. */
  function pan() {
    if (canvas.width === 0 || canvas.height === 0)
      return;
    const dx = x0 - drawn.x0, dy = y0 - drawn.y0;
    if (scale !== drawn.scale || Math.abs(dx) > width / 2 || Math.abs(dy) > height / 2)
      return draw();
    drawn = {x0, y0, scale};
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.drawImage(canvas, Math.round(dx * dots), Math.round(dy * dots));
    pen.setTransform(dots, 0, 0, dots, 0, 0);
    if (dx !== 0)
      drawPart(dx > 0 ? 0 : width + dx - 1, 0, Math.abs(dx) + 2, height + 1);
    if (dy !== 0)
      drawPart(0, dy > 0 ? 0 : height + dy - 1, width + 1, Math.abs(dy) + 2);
    drawAbove();
  }

  /** @param {number[]} some seats, of which each row's first has its name beside it */
  function drawRowNames(some) {
    pen.fillStyle = ink.soft;
    pen.font = '11px system-ui, sans-serif';
    pen.textAlign = 'right';
    pen.textBaseline = 'middle';
    for (const index of some) {
      const seat = seats[index];
      if (heads.has(seat))
        pen.fillText(seat.row, x0 + (seat.x - space * 0.65) * scale, y0 + seat.y * scale);
    }
  }

  // ---- above: the seat that is pointed at, and changes that pulse once ----
  function drawAbove() {
    const now = performance.now(), radius = space * scale * 0.4;
    over.setTransform(dots, 0, 0, dots, 0, 0);
    over.clearRect(0, 0, width, height);
    pulses = pulses.filter(({since}) => now - since < PULSE_MS);
    over.strokeStyle = ink.sold;
    for (const {index, since} of pulses) {
      const [x, y] = at(seats[index]), part = (now - since) / PULSE_MS;
      over.globalAlpha = 1 - part;
      over.lineWidth = 2;
      over.beginPath();
      over.arc(x, y, Math.max(3, radius) * (1 + 1.6 * part), 0, 7);
      over.stroke();
    }
    over.globalAlpha = 1;
    if (cursor >= 0) {
      const [x, y] = at(seats[cursor]);
      over.strokeStyle = ink.ink;
      over.lineWidth = 2;
      over.beginPath();
      over.arc(x, y, Math.max(4, radius + 3), 0, 7);
      over.stroke();
    }
    if (pulses.length > 0)
      window.requestAnimationFrame(drawAbove);
  }

  /** @param {number} index */
  function drawOne(index) {
    const [x, y] = at(seats[index]), reach = Math.min(space * scale * 0.5, space * scale * 0.4 + 1.5);
    if (x < -reach || y < -reach || x > width + reach || y > height + reach)
      return;
    pen.fillStyle = ink.ground;
    pen.fillRect(x - reach, y - reach, 2 * reach, 2 * reach);
    drawSeats(state(index), [index]);
  }

  // ---- moving ----
  function clamp() {
    scale = Math.max(least, Math.min(least * 40, scale));
    const wide = bounds.width * scale, high = bounds.height * scale, x = bounds.x * scale, y = bounds.y * scale;
    x0 = wide <= width ? (width - wide) / 2 - x : Math.min(PAD - x, Math.max(width - PAD - wide - x, x0));
    y0 = high <= height ? (height - high) / 2 - y : Math.min(PAD - y, Math.max(height - PAD - high - y, y0));
    x0 = Math.round(x0 * dots) / dots; // a canvas that is moved stays sharp
    y0 = Math.round(y0 * dots) / dots;
    canvas.style.touchAction = scale > least * 1.01 ? 'none' : 'pan-y';
  }
  let due = false;
  function later() {
    if (!due)
      window.requestAnimationFrame(() => { due = false; pan(); });
    due = true;
  }
  function fit(/** @type {boolean} */ all) {
    least = Math.min(width / bounds.width, height / bounds.height);
    scale = all ? least : scale;
    clamp();
    place(cursor);
    later();
  }
  function zoom(/** @type {number} */ by, x = width / 2, y = height / 2) {
    const before = scale;
    scale = Math.max(least, Math.min(least * 40, scale * by));
    x0 = x - (x - x0) * scale / before;
    y0 = y - (y - y0) * scale / before;
    clamp();
    place(cursor);
    later();
  }
  function measure() {
    const box = frame.getBoundingClientRect(), fitted = scale <= least * 1.001;
    width = box.width;
    height = box.height;
    dots = window.devicePixelRatio || 1;
    for (const one of [canvas, above]) {
      one.width = Math.round(width * dots);
      one.height = Math.round(height * dots);
    }
    fit(fitted);
    draw();
  }

  // ---- one seat ----
  function find(/** @type {number} */ x, /** @type {number} */ y) {
    let best = -1, nearest = Math.max(10, space * scale * 0.6) ** 2;
    seats.forEach((seat, index) => {
      const [sx, sy] = at(seat), far = (sx - x) ** 2 + (sy - y) ** 2;
      if (far < nearest)
        [best, nearest] = [index, far];
    });
    return best;
  }
  function place(/** @type {number} */ index) {
    cursor = index;
    const [x, y] = index < 0 ? [-1, -1] : at(seats[index]);
    tip.hidden = x < 0 || y < 0 || x > width || y > height;
    if (tip.hidden)
      return;
    const seat = seats[index], section = (picture.fields.catalogue?.sections ?? []).find((/** @type {any} */ one) => one.section === seat.section);
    const rates = Object.entries(section?.rates ?? {}).map(([name, price]) => `${name === 'standard' ? '' : `${name} `}${money(Number(price), picture.fields.currency)}`);
    tip.replaceChildren(el('b', {}, seat.label), el('span', {}, el('i', {className: `key ${state(index)}`}), STATE_NAMES[state(index)]),
      el('span', {}, [seat.zone !== seat.section && seat.zone, seat.section, `row ${seat.row}`].filter(Boolean).join(' · ')), ...(rates.length > 0 ? [el('span', {}, rates.join(', '))] : []),
      ...(seat.features.length > 0 ? [el('span', {}, seat.features.join(', '))] : []));
    tip.style.left = `${Math.max(8, Math.min(width - tip.offsetWidth - 8, x - tip.offsetWidth / 2))}px`;
    const apart = Math.min(60, space * scale * 1.5) + 10, under = y + apart, over = y - apart - tip.offsetHeight; // the next row is seen
    tip.style.top = `${under + tip.offsetHeight <= height - 8 ? under : over >= 8 ? over : y > height / 2 ? 8 : height - 8 - tip.offsetHeight}px`;
  }
  function point(/** @type {number} */ index) {
    if (index === cursor)
      return;
    place(index);
    drawAbove();
  }
  function choose() {
    if (cursor >= 0)
      chosen?.({...seats[cursor], index: cursor});
  }
  /** The nearest seat in a direction. @param {number} dx @param {number} dy */
  function step(dx, dy) {
    if (cursor < 0)
      return point(seats.length > 0 ? 0 : -1);
    const from = seats[cursor];
    let best = cursor, least_far = Infinity;
    seats.forEach((seat, index) => {
      const along = (seat.x - from.x) * dx + (seat.y - from.y) * dy, aside = Math.abs((seat.x - from.x) * dy) + Math.abs((seat.y - from.y) * dx);
      const far = along + 2.5 * aside;
      if (along > space * 0.3 && aside < along * 1.5 + space && far < least_far)
        [best, least_far] = [index, far];
    });
    point(best);
    const [x, y] = at(seats[cursor]);
    if (x < 0 || y < 0 || x > width || y > height) {
      x0 += width / 2 - x;
      y0 += height / 2 - y;
      clamp();
      place(cursor);
      later();
    }
  }

  // ---- mouse, touch, keyboard ----
  /** @type {Map<number, {x: number, y: number}>} */
  const fingers = new Map();
  let dragged = false;
  const where = (/** @type {PointerEvent|WheelEvent|MouseEvent} */ event) => {
    const box = canvas.getBoundingClientRect();
    return {x: event.clientX - box.left, y: event.clientY - box.top};
  };
  canvas.addEventListener('pointerdown', event => {
    canvas.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, where(event));
    dragged = false;
  });
  canvas.addEventListener('pointermove', event => {
    const now = where(event), before = fingers.get(event.pointerId);
    if (!before)
      return point(find(now.x, now.y));
    const others = [...fingers].filter(([id]) => id !== event.pointerId).map(([, finger]) => finger);
    fingers.set(event.pointerId, now);
    if (Math.hypot(now.x - before.x, now.y - before.y) > 2)
      dragged = true;
    if (others.length > 0)
      zoom(Math.hypot(now.x - others[0].x, now.y - others[0].y) / (Math.hypot(before.x - others[0].x, before.y - others[0].y) || 1), others[0].x, others[0].y);
    else if (scale > least * 1.01) {
      x0 += now.x - before.x;
      y0 += now.y - before.y;
      clamp();
      place(cursor);
      later();
    }
  });
  const lift = (/** @type {PointerEvent} */ event) => {
    const now = where(event);
    if (fingers.delete(event.pointerId) && !dragged && event.type === 'pointerup') {
      point(find(now.x, now.y));
      choose();
    }
  };
  canvas.addEventListener('pointerup', lift);
  canvas.addEventListener('pointercancel', lift);
  canvas.addEventListener('pointerleave', event => { if (event.pointerType === 'mouse') point(-1); });
  canvas.addEventListener('dblclick', event => zoom(2, where(event).x, where(event).y));
  canvas.addEventListener('wheel', event => {
    if (!event.ctrlKey && !event.metaKey && scale <= least * 1.01)
      return; // the page scrolls, as long as the whole hall is shown
    event.preventDefault();
    zoom(Math.exp(-event.deltaY / (event.ctrlKey ? 100 : 400)), where(event).x, where(event).y);
  }, {passive: false});
  canvas.addEventListener('keydown', event => {
    const steps = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]};
    if (event.key in steps)
      step(...steps[event.key]);
    else if (event.key === '+' || event.key === '=')
      zoom(1.5, ...(cursor >= 0 ? at(seats[cursor]) : []));
    else if (event.key === '-')
      zoom(1 / 1.5);
    else if (event.key === '0')
      fit(true);
    else if (event.key === 'Escape')
      point(-1);
    else if (event.key === 'Enter')
      choose();
    else
      return;
    event.preventDefault();
  });
  canvas.addEventListener('blur', () => point(-1));
  const sizes = new ResizeObserver(measure);
  const paint = () => { ink = colours(); draw(); };
  sizes.observe(frame);
  window.addEventListener('themed', paint);
  frame.style.aspectRatio = `${Math.max(0.9, Math.min(2.4, bounds.width / bounds.height))}`;

  return {
    made,
    /** Shows another picture of the same hall; `touched` seats are other ones than before, undefined: any may be.
     * @param {import('./picture.js').Picture} next @param {number[]} [touched] */
    show(next, touched) {
      picture = next;
      if (!touched || touched.length > 2000)
        return draw();
      touched.forEach(drawOne);
      crowds.forEach(drawCrowd);
      if (!still.matches && touched.length > 0 && touched.length <= 300) {
        const idle = pulses.length === 0;
        pulses.push(...touched.map(index => ({index, since: performance.now()})));
        if (idle)
          window.requestAnimationFrame(drawAbove);
      }
      if (cursor >= 0 && touched.includes(cursor))
        place(cursor);
    },
    stop() {
      sizes.disconnect();
      window.removeEventListener('themed', paint);
    },
  };
}
