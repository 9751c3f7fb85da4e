import { z } from 'zod';
import { units } from '../../units/list.js';
import { type Delay, delayForms, parseDelay, printDelay } from './delay.js';

/** A stall of the whole target, once for each stream: `atMs` after the stream's first broadcast, for `forMs`. */
export interface Freeze {
  atMs: number;
  forMs: number;
}

/** A delivery's frame is written so many bytes at a time, `everyMs` apart. */
export interface Trickle {
  bytes: number;
  everyMs: number;
}

/** The forms of a freeze and of a trickle, for help and for errors. */
export const freezeForm = '2s+3s';
export const trickleForm = '7b,1ms';

const share = (flag: string, help: string) =>
  z.number().min(0).max(1).default(0).meta({ flag, placeholder: 'share', help });

/** What a metronome can be told to do: the options of its targets and the command line of its server. Shares are 0 to 1. */
export const metronomeOptions = z.strictObject({
  delay: z
    .string()
    .refine((text) => parseDelay(text) !== undefined, { error: `expected ${delayForms}` })
    .default('constant:0s')
    .meta({
      flag: 'delay',
      placeholder: 'form',
      help: `from the publish’s arrival to the write of each delivery: ${delayForms}`,
    }),
  freeze: z
    .string()
    .refine((text) => parseFreeze(text) !== undefined, { error: `expected AT+FOR such as ${freezeForm}` })
    .optional()
    .meta({
      flag: 'freeze',
      placeholder: 'at+for',
      help: `stand still at a time after a stream’s first broadcast, for a time: ${freezeForm}`,
    }),
  limit: z.number().positive().max(1_000_000).optional().meta({
    flag: 'limit',
    unit: 'rate',
    help: 'frames of deliveries that are written in a second, one after the other in one queue; what is more waits',
  }),
  drop: share('drop', 'share of deliveries that are never written'),
  duplicate: share('duplicate', 'share of deliveries that are written twice'),
  reorder: share('reorder', 'share of deliveries that are held back until the next one to the same connection is out'),
  refuse: share('refuse', 'share of upgrades that are answered 503'),
  refusePublish: share('refuse-publish', 'share of publishes that are answered 503 and delivered to nobody'),
  trickle: z
    .string()
    .refine((text) => parseTrickle(text) !== undefined, { error: `expected BYTES,INTERVAL such as ${trickleForm}` })
    .optional()
    .meta({
      flag: 'trickle',
      placeholder: 'bytes,every',
      help: `write each delivery so many bytes at a time, so far apart: ${trickleForm}`,
    }),
  seed: z.number().int().min(0).max(0xffff_ffff).default(1).meta({
    flag: 'seed',
    unit: 'count',
    help: 'of every random choice: the same seed makes the same faults, whatever the timing',
  }),
});

/** The values of `metronomeOptions`. */
export type MetronomeOptions = z.output<typeof metronomeOptions>;

/** The same, read. */
export interface Orders {
  delay: Delay;
  freeze: Freeze | undefined;
  trickle: Trickle | undefined;
  /** Frames a second. */
  limit: number | undefined;
  drop: number;
  duplicate: number;
  reorder: number;
  refuse: number;
  refusePublish: number;
  seed: number;
}

/** Reads values that the schema has accepted. */
export function ordersOf({ delay, freeze, trickle, limit, ...rest }: MetronomeOptions): Orders {
  return {
    ...rest,
    delay: parseDelay(delay) as Delay,
    freeze: freeze === undefined ? undefined : parseFreeze(freeze),
    trickle: trickle === undefined ? undefined : parseTrickle(trickle),
    limit,
  };
}

/** Every order that differs from its default, as it is written behind its flag; a long tail names its cap. */
export function ordersInWords(options: MetronomeOptions): Record<string, unknown> {
  const { delay, freeze, trickle, limit } = ordersOf(options);
  const said: Record<string, unknown> = {
    ...options,
    delay: printDelay(delay),
    ...(freeze && { freeze: printFreeze(freeze) }),
    ...(trickle && { trickle: printTrickle(trickle) }),
    ...(limit && { limit: units.rate.print(limit) }),
  };
  const defaults: Readonly<Record<string, unknown>> = metronomeOptions.parse({});
  return Object.fromEntries(Object.entries(said).filter(([key, value]) => value !== defaults[key]));
}

/** The freeze of `AT+FOR`, or undefined. */
export function parseFreeze(text: string): Freeze | undefined {
  const parts = text.split('+').map(units.duration.parse);
  const [atMs, forMs] = parts;
  return parts.length === 2 && atMs !== undefined && forMs ? { atMs, forMs } : undefined;
}

/** The text from which `parseFreeze` gives exactly this freeze. */
export function printFreeze({ atMs, forMs }: Freeze): string {
  return `${units.duration.print(atMs)}+${units.duration.print(forMs)}`;
}

/** The trickle of `BYTES,INTERVAL`, or undefined; neither may be zero. */
export function parseTrickle(text: string): Trickle | undefined {
  const parts = text.split(',');
  const bytes = units.bytes.parse(parts[0] ?? '');
  const everyMs = units.duration.parse(parts[1] ?? '');
  return parts.length === 2 && bytes && everyMs ? { bytes, everyMs } : undefined;
}

/** The text from which `parseTrickle` gives exactly this trickle. */
export function printTrickle({ bytes, everyMs }: Trickle): string {
  return `${units.bytes.print(bytes)},${units.duration.print(everyMs)}`;
}
