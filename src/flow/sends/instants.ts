import type { Declared, Time } from '../api.js';
import { exponential } from '../client/draws.js';
import { msOf } from '../client/time.js';

/** Returns when send `n` is due, asked in order from 0, in nanoseconds. Undefined after the last one. */
export type Instants = (n: number) => number | undefined;

const nsPerMs = 1e6;

/** Ends instants after a count and after a time. */
function within(instants: Instants, fromNs: number, { count, until }: Pick<Declared, 'count' | 'until'>): Instants {
  const endNs = until === undefined ? Number.POSITIVE_INFINITY : fromNs + msOf(until, 'until') * nsPerMs;
  return (n) => {
    if (n >= (count ?? Number.POSITIVE_INFINITY)) return undefined;
    const dueNs = instants(n);
    return dueNs !== undefined && dueNs < endNs ? dueNs : undefined;
  };
}

/** Returns even instants, or those of a Poisson process. The first is drawn in the first period, or is at once. */
export function instantsEvery(
  period: Time | { perSecond: number; poisson?: boolean },
  fromNs: number,
  options: Declared,
  draw: () => number,
): Instants {
  const isRate = typeof period === 'object';
  const periodNs = isRate
    ? 1e9 / positive(period.perSecond, 'perSecond')
    : positive(msOf(period, 'every'), 'period') * nsPerMs;
  const firstNs = fromNs + (options.from === 'start' ? 0 : draw() * periodNs);
  if (!isRate || !period.poisson) return within((n) => firstNs + n * periodNs, fromNs, options);
  let lastNs = firstNs;
  const next: Instants = (n) => {
    if (n > 0) lastNs += exponential(draw(), periodNs);
    return lastNs;
  };
  return within(next, fromNs, options);
}

/** Returns instants after now, in the order of a list of times. */
export function instantsAt(times: readonly Time[], fromNs: number, options: Declared): Instants {
  const dueNs = times.map((time) => fromNs + msOf(time, 'at') * nsPerMs).sort((one, other) => one - other);
  return within((n) => dueNs[n], fromNs, options);
}

/** Returns `count` instants spread evenly over a time. */
export function instantsOver(count: number, over: Time | undefined, fromNs: number, options: Declared): Instants {
  const stepNs = ((over === undefined ? 0 : msOf(over, 'burst')) * nsPerMs) / positive(count, 'count');
  return within((n) => fromNs + n * stepNs, fromNs, { ...options, count: Math.min(count, options.count ?? count) });
}

function positive(value: number, name: string): number {
  if (value > 0) return value;
  throw new RangeError(`${name}: expected a number above 0, received ${value}`);
}
