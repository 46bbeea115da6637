// @ts-check
/** Products, and sections by capacity, as bars: what runs out first on top. */
import {bar, count, distance, el, money, setBar, soldOut} from './words.js';

/** @param {import('./picture.js').Picture} first
 * @param {{name: string, title: string, rates?: Object<string, number>, overbook?: number}[]} pools
 * @param {((picture: import('./picture.js').Picture, pool: string) => number)|null} pace units per millisecond; null: it is not estimated */
export function stock(first, pools, pace) {
  const list = el('ul', {className: 'stock picture'});
  const lines = pools.map(({name, title, rates, overbook = 0}) => {
    const left = el('b'), of = el('small'), bars = bar({total: 0, free: 0, held: 0, sold: 0, blocked: 0}), until = el('small', {className: 'until'});
    const prices = Object.values(rates ?? {}).sort((one, other) => one - other), ends = [...new Set([prices[0], prices[prices.length - 1]])];
    const line = el('li', {'data-pool': name}, el('span', {className: 'name'}, el('b', {}, title), el('small', {}, prices.length === 0 ? '' : ends.map(price => money(price, first.fields.currency)).join(' – '))), bars,
      el('span', {className: 'number'}, left, of), ...(pace ? [until] : []));
    return {name, line, left, of, bars, until, overbook};
  });

  /** @param {import('./picture.js').Picture} picture */
  function show(picture) {
    const found = lines.map(one => ({...one, counts: picture.pool(one.name), speed: pace ? pace(picture, one.name) : 0}));
    if (pace)
      found.sort((one, other) => (one.counts.free / (one.speed || 1e-12)) - (other.counts.free / (other.speed || 1e-12)) || one.counts.free - other.counts.free);
    found.forEach(({line, left, of, bars, until, counts, speed, overbook}) => {
      const over = counts.held + counts.sold + counts.blocked - (counts.total - overbook);
      setBar(bars, counts);
      left.textContent = counts.free === 0 ? soldOut(counts.held) : `${count(counts.free)} left`;
      of.textContent = `of ${count(counts.total)}${counts.held ? ` · ${count(counts.held)} held` : ''}${over > 0 ? ` · ${count(over)} over` : ''}`;
      until.textContent = counts.free > 0 && speed > 0 ? `at this pace for about ${distance(counts.free / speed)}` : '';
    });
    if (found.some(({line}, index) => list.children[index] !== line))
      list.replaceChildren(...found.map(({line}) => line));
  }
  show(first);
  return {made: list, show, stop() {}};
}
