import { probit } from 'simple-statistics';
import { z } from 'zod';
import { parseDecimal, type Unit, units } from '../../units/unit.js';

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

const { count, duration } = units;

/** Reads two amounts with a sign between them, of which the second is above 0. */
function pairIn(text: string, sign: string, units: readonly [Unit, Unit]): [number, number] | undefined {
  const parts = text.split(sign);
  const [first, second] = units.map((unit, at) => unit.parse(parts[at] ?? ''));
  return parts.length === 2 && first !== undefined && second ? [first, second] : undefined;
}

/** A stall of the whole target, once per stream. It begins `atMs` after the first broadcast and lasts `forMs`. */
export interface Freeze {
  atMs: number;
  forMs: number;
}

export function parseFreeze(text: string): Freeze | undefined {
  const [atMs, forMs] = pairIn(text, '+', [duration, duration]) ?? [];
  return atMs === undefined || forMs === undefined ? undefined : { atMs, forMs };
}

/** Delays the first `broadcasts` of each stream by `byMs` more. */
interface Cold {
  broadcasts: number;
  byMs: number;
}

export function parseCold(text: string): Cold | undefined {
  const [broadcasts, byMs] = pairIn(text, ',', [count, duration]) ?? [];
  return !broadcasts || byMs === undefined ? undefined : { broadcasts, byMs };
}

/** The forms of a freeze and of a cold start, for help and errors. */
const freezeForm = '2s+3s';
const coldForm = '20,400ms';

const share = (flag: string, help: string) =>
  z.number().min(0).max(1).default(0).meta({ flag, placeholder: 'share', help });

const text = (parse: (text: string) => unknown, expected: string) =>
  z.string().refine((value) => parse(value) !== undefined, { error: `expected ${expected}` });

/** Options of the metronome's targets and of its server: faults and delays on command. Shares are 0 to 1. */
export const metronomeOptions = z.strictObject({
  delay: text(parseDelay, delayForms)
    .default('constant:0s')
    .meta({ flag: 'delay', placeholder: 'form', help: `delay of each delivery: ${delayForms}` }),
  delayPer: z
    .enum(['delivery', 'broadcast'])
    .default('delivery')
    .meta({ flag: 'delay-per', help: 'what each delay is drawn for' }),
  cold: text(parseCold, `BROADCASTS,MORE such as ${coldForm}`)
    .optional()
    .meta({ flag: 'cold', placeholder: 'count,more', help: `delay a stream’s first broadcasts longer: ${coldForm}` }),
  driftMs: z
    .number()
    .min(0)
    .max(1000)
    .default(0)
    .meta({ flag: 'drift', unit: 'duration', help: 'what each second of a stream adds to every delay' }),
  freeze: text(parseFreeze, `AT+FOR such as ${freezeForm}`)
    .optional()
    .meta({
      flag: 'freeze',
      placeholder: 'at+for',
      help: `stand still after a stream’s first broadcast: ${freezeForm}`,
    }),
  limit: z
    .number()
    .positive()
    .max(1_000_000)
    .optional()
    .meta({ flag: 'limit', unit: 'rate', help: 'most delivery frames a second; the rest queues' }),
  drop: share('drop', 'share of deliveries never written'),
  duplicate: share('duplicate', 'share of deliveries written twice'),
  reorder: share('reorder', 'share of deliveries written after the next to the same connection'),
  refuse: share('refuse', 'share of upgrades answered 503'),
  refusePublish: share('refuse-publish', 'share of publishes answered 503 and delivered to nobody'),
  seed: z
    .number()
    .int()
    .min(0)
    .max(0xffff_ffff)
    .default(1)
    .meta({ flag: 'seed', unit: 'count', help: 'seed of all faults, whatever the timing' }),
});

type MetronomeOptions = z.output<typeof metronomeOptions>;

/** The parsed options. `limit` is in frames a second. */
export interface Orders extends Omit<MetronomeOptions, 'delay' | 'cold' | 'freeze' | 'limit'> {
  delay: Delay;
  cold: Cold | undefined;
  freeze: Freeze | undefined;
  limit: number | undefined;
}

/** Parses values that the schema accepted. */
export function ordersOf({ delay, cold, freeze, limit, ...rest }: MetronomeOptions): Orders {
  return {
    ...rest,
    delay: parseDelay(delay) as Delay,
    cold: parseCold(cold ?? ''),
    freeze: parseFreeze(freeze ?? ''),
    limit,
  };
}

/** Returns every option that differs from its default, as its flag takes it. A long tail names its cap. */
export function ordersInWords(options: MetronomeOptions): Record<string, unknown> {
  const { delay, cold, freeze, limit, driftMs } = ordersOf(options);
  const said: Record<string, unknown> = {
    ...options,
    delay: printDelay(delay),
    ...(cold && { cold: `${count.print(cold.broadcasts)},${duration.print(cold.byMs)}` }),
    ...(driftMs > 0 && { driftMs: duration.print(driftMs) }),
    ...(freeze && { freeze: `${duration.print(freeze.atMs)}+${duration.print(freeze.forMs)}` }),
    ...(limit && { limit: units.rate.print(limit) }),
  };
  const defaults: Readonly<Record<string, unknown>> = metronomeOptions.parse({});
  return Object.fromEntries(Object.entries(said).filter(([key, value]) => value !== defaults[key]));
}
