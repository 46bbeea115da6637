// @ts-check
/** The past: a curve of what was sold, held and free, and a moment on it that is chosen. */
import {clock, count, el} from './words.js';

const WIDE = 1000, HIGH = 100, SAMPLES = 400, WATCH_MS = 30000;

/** Areas under steps, one upon the other. @param {string[]} kinds the lowest last */
export function areas(kinds) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', `0 0 ${WIDE} ${HIGH}`);
  svg.setAttribute('preserveAspectRatio', 'none');
  svg.setAttribute('aria-hidden', 'true');
  const paths = kinds.map(kind => {
    const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
    path.setAttribute('class', kind);
    svg.append(path);
    return path;
  });
  /** @param {number} index of the kind @param {[number, number][]} steps parts of the width and of the height; none: nothing is drawn */
  const draw = (index, steps) => paths[index].setAttribute('d', steps.length === 0 ? ''
    : `M0 ${HIGH}${steps.map(([x, y]) => `H${(WIDE * Math.max(0, Math.min(1, x))).toFixed(1)}V${(HIGH - HIGH * y).toFixed(1)}`).join('')}H${WIDE}V${HIGH}Z`);
  return {svg, draw};
}

/** The units beside them: none, half, all. @param {HTMLElement[]} marks three @param {number} most */
export const scale = (marks, most) => [most, Math.round(most / 2), 0].forEach((units, index) => {
  marks[index].textContent = index === 1 && units === most ? '' : count(units);
  marks[index].style.top = `${100 - 100 * units / most}%`;
});

/** @param {import('./picture.js').Past} past @param {() => number} now
 * @param {(at_ms: number|null) => void} choose a moment; null: live @param {number} total all units */
export function rewind(past, now, choose, total) {
  const kinds = ['blocked', 'held', 'sold'], drawn = areas(kinds);
  const marks = ['', '', ''].map(() => el('small'));
  const slider = /** @type {HTMLInputElement} */ (el('input', {type: 'range', min: '0', max: '1000', step: 'any', value: '1000', 'aria-label': 'Moment'}));
  const said = el('output', {className: 'said'}), begin = el('small', {}), end = el('small', {}, 'now');
  const live = /** @type {HTMLButtonElement} */ (el('button', {type: 'button', className: 'quiet', disabled: true}, 'Live'));
  const play = /** @type {HTMLButtonElement} */ (el('button', {type: 'button', className: 'quiet'}, 'Watch again'));
  const made = el('section', {className: 'rewind', 'aria-label': 'How it sold'}, el('div', {className: 'bar-top'}, el('h2', {}, 'How it sold'), said, play, live),
    el('div', {className: 'curve'}, drawn.svg, el('div', {className: 'scale', 'aria-hidden': 'true'}, ...marks), slider), el('div', {className: 'ends'}, begin, end));
  let until_ms = now(), playing = 0, is_live = true;

  function draw() {
    if (is_live)
      until_ms = now();
    const from_ms = past.from_ms, span = Math.max(1, until_ms - from_ms), samples = past.samples(SAMPLES, until_ms);
    const most = Math.max(1, total, ...samples.map(one => one.free + one.held + one.sold + one.blocked));
    begin.textContent = from_ms === 0 ? '' : `${count(most)} units in all; since ${clock(from_ms)}, as far back as the dashboard remembers`;
    scale(marks, most);
    kinds.forEach((kind, index) => {
      const height = (/** @type {any} */ one) => kind === 'sold' ? one.sold : kind === 'held' ? one.sold + one.held : one.sold + one.held + one.blocked;
      drawn.draw(index, samples.some(one => one[kind] > 0) ? samples.map(one => /** @type {[number, number]} */ ([(one.at - from_ms) / span, height(one) / most])) : []);
    });
  }

  const moment_ms = () => past.from_ms + (until_ms - past.from_ms) * Number(slider.value) / 1000;
  function go() {
    if (is_live)
      draw(); // up to this moment, where the curve stops while the past is looked at
    is_live = slider.value === '1000';
    live.disabled = is_live;
    const at_ms = moment_ms();
    said.textContent = is_live ? '' : clock(at_ms);
    slider.setAttribute('aria-valuetext', is_live ? 'live' : clock(at_ms));
    choose(is_live ? null : at_ms);
  }
  function stop() {
    window.cancelAnimationFrame(playing);
    playing = 0;
    play.textContent = 'Watch again';
  }
  slider.addEventListener('input', () => { stop(); go(); });
  live.addEventListener('click', () => { stop(); slider.value = '1000'; go(); draw(); });
  play.addEventListener('click', () => {
    if (playing)
      return stop();
    const from = is_live ? 0 : Number(slider.value), since = performance.now();
    play.textContent = 'Pause';
    const turn = () => {
      const value = Math.min(1000, from + 1000 * (performance.now() - since) / WATCH_MS);
      slider.value = String(value);
      go();
      playing = value < 1000 ? window.requestAnimationFrame(turn) : 0;
      if (!playing)
        stop();
    };
    playing = window.requestAnimationFrame(turn);
  });
  draw();
  return {made, draw, stop};
}
