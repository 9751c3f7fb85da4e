import { z } from 'zod';
import { units } from '../../units/unit.js';
import { type Delay, delayForms, parseDelay, printDelay } from './delay.js';

/** A stall of the whole target, once per stream. It begins `atMs` after the first broadcast and lasts `forMs`. */
export interface Freeze {
  atMs: number;
  forMs: number;
}

/** Writes a delivery's frame in pieces of `bytes` bytes, `everyMs` apart. */
export interface Trickle {
  bytes: number;
  everyMs: number;
}

/** Delays the first `broadcasts` of each stream by `byMs` more. */
export interface Cold {
  broadcasts: number;
  byMs: number;
}

/** The forms of a freeze, of a trickle and of a cold start, for help and errors. */
export const freezeForm = '2s+3s';
export const trickleForm = '7b,1ms';
export const coldForm = '20,400ms';

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
  trickle: text(parseTrickle, `BYTES,INTERVAL such as ${trickleForm}`)
    .optional()
    .meta({ flag: 'trickle', placeholder: 'bytes,every', help: `write deliveries in pieces: ${trickleForm}` }),
  seed: z
    .number()
    .int()
    .min(0)
    .max(0xffff_ffff)
    .default(1)
    .meta({ flag: 'seed', unit: 'count', help: 'seed of all faults, whatever the timing' }),
});

export type MetronomeOptions = z.output<typeof metronomeOptions>;

/** The parsed options. `limit` is in frames a second. */
export interface Orders extends Omit<MetronomeOptions, 'delay' | 'cold' | 'freeze' | 'trickle' | 'limit'> {
  delay: Delay;
  cold: Cold | undefined;
  freeze: Freeze | undefined;
  trickle: Trickle | undefined;
  limit: number | undefined;
}

/** Parses values that the schema accepted. */
export function ordersOf({ delay, cold, freeze, trickle, limit, ...rest }: MetronomeOptions): Orders {
  return {
    ...rest,
    delay: parseDelay(delay) as Delay,
    cold: parseCold(cold ?? ''),
    freeze: parseFreeze(freeze ?? ''),
    trickle: parseTrickle(trickle ?? ''),
    limit,
  };
}

/** Returns every option that differs from its default, as its flag takes it. A long tail names its cap. */
export function ordersInWords(options: MetronomeOptions): Record<string, unknown> {
  const { delay, cold, freeze, trickle, limit, driftMs } = ordersOf(options);
  const said: Record<string, unknown> = {
    ...options,
    delay: printDelay(delay),
    ...(cold && { cold: printCold(cold) }),
    ...(driftMs > 0 && { driftMs: units.duration.print(driftMs) }),
    ...(freeze && { freeze: printFreeze(freeze) }),
    ...(trickle && { trickle: printTrickle(trickle) }),
    ...(limit && { limit: units.rate.print(limit) }),
  };
  const defaults: Readonly<Record<string, unknown>> = metronomeOptions.parse({});
  return Object.fromEntries(Object.entries(said).filter(([key, value]) => value !== defaults[key]));
}

/** Parses a freeze `AT+FOR`. Returns undefined for any other text. */
export function parseFreeze(text: string): Freeze | undefined {
  const parts = text.split('+').map(units.duration.parse);
  const [atMs, forMs] = parts;
  return parts.length === 2 && atMs !== undefined && forMs ? { atMs, forMs } : undefined;
}

/** Returns the text from which `parseFreeze` gives exactly this freeze. */
export function printFreeze({ atMs, forMs }: Freeze): string {
  return `${units.duration.print(atMs)}+${units.duration.print(forMs)}`;
}

/** Parses a trickle `BYTES,INTERVAL`, both above zero. Returns undefined for any other text. */
export function parseTrickle(text: string): Trickle | undefined {
  const parts = text.split(',');
  const bytes = units.bytes.parse(parts[0] ?? '');
  const everyMs = units.duration.parse(parts[1] ?? '');
  return parts.length === 2 && bytes && everyMs ? { bytes, everyMs } : undefined;
}

/** Returns the text from which `parseTrickle` gives exactly this trickle. */
export function printTrickle({ bytes, everyMs }: Trickle): string {
  return `${units.bytes.print(bytes)},${units.duration.print(everyMs)}`;
}

/** Parses a cold start `BROADCASTS,MORE`, both above zero. Returns undefined for any other text. */
export function parseCold(text: string): Cold | undefined {
  const parts = text.split(',');
  const broadcasts = units.count.parse(parts[0] ?? '');
  const byMs = units.duration.parse(parts[1] ?? '');
  return parts.length === 2 && broadcasts && byMs ? { broadcasts, byMs } : undefined;
}

/** Returns the text from which `parseCold` gives exactly this cold start. */
export function printCold({ broadcasts, byMs }: Cold): string {
  return `${units.count.print(broadcasts)},${units.duration.print(byMs)}`;
}
