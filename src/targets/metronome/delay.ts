import { probit } from 'simple-statistics';
import { parseDecimal, units } from '../../units/unit.js';

/** Describes how long a metronome delays each delivery, in milliseconds. */
export type Delay =
  | { kind: 'constant'; ms: number }
  | { kind: 'uniform'; fromMs: number; toMs: number }
  | { kind: 'bimodal'; usualMs: number; rareMs: number; rareShare: number }
  /** Log-normal, cut off at `capMs`. */
  | { kind: 'long-tail'; medianMs: number; sigma: number; capMs: number };

/** The forms of a delay, for help and errors. */
export const delayForms = 'constant:20ms, uniform:5ms,50ms, bimodal:2ms,80ms,0.1 or long-tail:20ms,0.5,2s';

/** The default cap of a long tail, in medians. With a sigma of 1, two delays of a million reach it. */
const capMedians = 100;
/** Longest delay, which fits a sample of whole microseconds in 32 bits. */
const longestMs = 3_600_000;

/** Parses a delay in one of `delayForms`. Returns undefined for any other text. */
export function parseDelay(text: string): Delay | undefined {
  const [, kind, list = ''] = /^\s*([a-z-]+):(.*)$/.exec(text) ?? [];
  const parts = list.split(',').map((part) => part.trim());
  const [first, second, third] = parts.map(durationOf);
  if (first === undefined || parts.length > 3) return undefined;
  const isRising = second !== undefined && first <= second;
  switch (kind) {
    case 'constant':
      return parts.length === 1 ? { kind, ms: first } : undefined;
    case 'uniform':
      return isRising && parts.length === 2 ? { kind, fromMs: first, toMs: second } : undefined;
    case 'bimodal': {
      const rareShare = parseDecimal(parts[2] ?? '');
      if (!isRising || rareShare === undefined || rareShare > 1) return undefined;
      return { kind, usualMs: first, rareMs: second, rareShare };
    }
    case 'long-tail': {
      const sigma = parseDecimal(parts[1] ?? '');
      const capMs = parts.length < 3 ? Math.min(longestMs, capMedians * first) : third;
      if (first === 0 || sigma === undefined || capMs === undefined || capMs < first) return undefined;
      return { kind, medianMs: first, sigma, capMs };
    }
  }
}

/** Returns the text from which `parseDelay` gives exactly this delay. */
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

/** Implements the quantile function: a share `p` of delays is at most the result, in ms. A uniform `p` makes a draw. */
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

function durationOf(text: string): number | undefined {
  const ms = units.duration.parse(text);
  return ms !== undefined && ms <= longestMs ? ms : undefined;
}
