import { probit } from 'simple-statistics';
import { units } from '../../units/list.js';
import { parseDecimal } from '../../units/unit.js';

/** How long a metronome delays each delivery, in milliseconds. */
export type Delay =
  | { kind: 'constant'; ms: number }
  | { kind: 'uniform'; fromMs: number; toMs: number }
  | { kind: 'bimodal'; usualMs: number; rareMs: number; rareShare: number }
  /** Log-normal, cut off at `capMs`. */
  | { kind: 'long-tail'; medianMs: number; sigma: number; capMs: number };

/** The forms of a delay, for help and errors. */
export const delayForms = 'constant:20ms, uniform:5ms,50ms, bimodal:2ms,80ms,0.1 or long-tail:20ms,0.5,2s';

/** The default cap of a long tail, in medians: with a sigma of 1 two delays of a million reach it. */
const capMedians = 100;
/** A sample of whole microseconds in 32 bits has room for this. */
const longestMs = 3_600_000;

/** The delay of a text in one of `delayForms`, or undefined. */
export function parseDelay(text: string): Delay | undefined {
  const [, kind = '', list = ''] = /^\s*([a-z-]+):(.*)$/.exec(text) ?? [];
  const parts = list.split(',').map((part) => part.trim());
  return readers[kind]?.(parts);
}

/** The text from which `parseDelay` gives exactly this delay. */
export function printDelay(delay: Delay): string {
  const ms = units.duration.print;
  switch (delay.kind) {
    case 'constant':
      return `constant:${ms(delay.ms)}`;
    case 'uniform':
      return `uniform:${ms(delay.fromMs)},${ms(delay.toMs)}`;
    case 'bimodal':
      return `bimodal:${ms(delay.usualMs)},${ms(delay.rareMs)},${delay.rareShare}`;
    case 'long-tail':
      return `long-tail:${ms(delay.medianMs)},${delay.sigma},${ms(delay.capMs)}`;
  }
}

/** The quantile function: a share `p` of all delays is at most so many milliseconds. A uniform `p` makes a draw. */
export function delayAt(delay: Delay, p: number): number {
  switch (delay.kind) {
    case 'constant':
      return delay.ms;
    case 'uniform':
      return delay.fromMs + p * (delay.toMs - delay.fromMs);
    case 'bimodal':
      return p < 1 - delay.rareShare ? delay.usualMs : delay.rareMs;
    case 'long-tail':
      // The normal distribution has no quantile at 0 and 1.
      p = Math.min(Math.max(p, 1e-12), 1 - 1e-12);
      return Math.min(delay.capMs, delay.medianMs * Math.exp(delay.sigma * probit(p)));
  }
}

const readers: Readonly<Record<string, (parts: readonly string[]) => Delay | undefined>> = {
  constant(parts) {
    const [ms] = parts.map(durationOf);
    return parts.length === 1 && ms !== undefined ? { kind: 'constant', ms } : undefined;
  },
  uniform(parts) {
    const [fromMs, toMs] = parts.map(durationOf);
    if (parts.length !== 2 || fromMs === undefined || toMs === undefined || fromMs > toMs) return undefined;
    return { kind: 'uniform', fromMs, toMs };
  },
  bimodal(parts) {
    const [usualMs, rareMs] = parts.map(durationOf);
    const rareShare = parseDecimal(parts[2] ?? '');
    if (parts.length !== 3 || usualMs === undefined || rareMs === undefined || usualMs > rareMs) return undefined;
    return rareShare !== undefined && rareShare <= 1 ? { kind: 'bimodal', usualMs, rareMs, rareShare } : undefined;
  },
  'long-tail'(parts) {
    const medianMs = durationOf(parts[0] ?? '');
    const sigma = parseDecimal(parts[1] ?? '');
    if (!medianMs || sigma === undefined || parts.length > 3) return undefined;
    const capMs = parts[2] === undefined ? Math.min(longestMs, capMedians * medianMs) : durationOf(parts[2]);
    return capMs !== undefined && capMs >= medianMs ? { kind: 'long-tail', medianMs, sigma, capMs } : undefined;
  },
};

function durationOf(text: string): number | undefined {
  const ms = units.duration.parse(text);
  return ms !== undefined && ms <= longestMs ? ms : undefined;
}
