import { z } from 'zod';
import { type Unit, units } from '../../units/unit.js';
import { type Delay, delayForms, parseDelay, printDelay } from './delay.js';

/** Reads and prints two amounts with a sign between them. Both are above 0, unless the first `mayBeZero`. */
function pairOf<A extends string, B extends string>(
  [a, first]: [A, Unit],
  sign: string,
  [b, second]: [B, Unit],
  mayBeZero = false,
) {
  type Pair = Record<A | B, number>;
  return {
    parse(text: string): Pair | undefined {
      const [one, other, ...more] = text.split(sign);
      const [from, to] = [first.parse(one ?? ''), second.parse(other ?? '')];
      return more.length === 0 && (from || (mayBeZero && from === 0)) && to
        ? ({ [a]: from, [b]: to } as Pair)
        : undefined;
    },
    print: (pair: Pair): string => `${first.print(pair[a])}${sign}${second.print(pair[b])}`,
  };
}

const { bytes, count, duration } = units;

/** A stall of the whole target, once per stream. It begins `atMs` after the first broadcast and lasts `forMs`. */
export const freezes = pairOf(['atMs', duration], '+', ['forMs', duration], true);

/** Writes a delivery's frame in pieces of `bytes` bytes, `everyMs` apart. */
export const trickles = pairOf(['bytes', bytes], ',', ['everyMs', duration]);

/** Delays the first `broadcasts` of each stream by `byMs` more. */
export const coldStarts = pairOf(['broadcasts', count], ',', ['byMs', duration]);

export type Freeze = NonNullable<ReturnType<typeof freezes.parse>>;
export type Trickle = NonNullable<ReturnType<typeof trickles.parse>>;
type Cold = NonNullable<ReturnType<typeof coldStarts.parse>>;

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
  cold: text(coldStarts.parse, `BROADCASTS,MORE such as ${coldForm}`)
    .optional()
    .meta({ flag: 'cold', placeholder: 'count,more', help: `delay a stream’s first broadcasts longer: ${coldForm}` }),
  driftMs: z
    .number()
    .min(0)
    .max(1000)
    .default(0)
    .meta({ flag: 'drift', unit: 'duration', help: 'what each second of a stream adds to every delay' }),
  freeze: text(freezes.parse, `AT+FOR such as ${freezeForm}`)
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
  trickle: text(trickles.parse, `BYTES,INTERVAL such as ${trickleForm}`)
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
    cold: coldStarts.parse(cold ?? ''),
    freeze: freezes.parse(freeze ?? ''),
    trickle: trickles.parse(trickle ?? ''),
    limit,
  };
}

/** Returns every option that differs from its default, as its flag takes it. A long tail names its cap. */
export function ordersInWords(options: MetronomeOptions): Record<string, unknown> {
  const { delay, cold, freeze, trickle, limit, driftMs } = ordersOf(options);
  const said: Record<string, unknown> = {
    ...options,
    delay: printDelay(delay),
    ...(cold && { cold: coldStarts.print(cold) }),
    ...(driftMs > 0 && { driftMs: units.duration.print(driftMs) }),
    ...(freeze && { freeze: freezes.print(freeze) }),
    ...(trickle && { trickle: trickles.print(trickle) }),
    ...(limit && { limit: units.rate.print(limit) }),
  };
  const defaults: Readonly<Record<string, unknown>> = metronomeOptions.parse({});
  return Object.fromEntries(Object.entries(said).filter(([key, value]) => value !== defaults[key]));
}
