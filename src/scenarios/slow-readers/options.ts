import { z } from 'zod';
import { bytes, share } from '../../units/unit.js';
import { broadcasts, bytesOption, countOption, drainMs, rampRatePerSecond, rateOption, warmUp } from '../options.js';

/** Holds a share of the clients, from 0 to 1, and the bytes that each of them reads per second. */
interface SlowShare {
  share: number;
  bytesPerSecond: number;
}

/** Reads `5%:10kb/s`. Returns undefined for other text, for no bytes, and for more than all clients. */
function parseSlow(text: string): SlowShare | undefined {
  const [, part = '', size = ''] = /^([^:]+):([^:]+)\/s$/.exec(text) ?? [];
  const [of, bytesPerSecond] = [share.parse(part), bytes.parse(size)];
  if (of === undefined || of > 1 || bytesPerSecond === undefined || bytesPerSecond < 1) return undefined;
  return { share: of, bytesPerSecond };
}

export const slowReadersOptions = z.strictObject({
  clients: countOption('clients', 100, [2, 1_000_000], 'clients subscribed to the one stream, slow ones among them'),
  slow: z
    .string()
    .default('5%:10kb/s')
    .refine((text) => parseSlow(text) !== undefined, { error: 'expected clients and their rate, such as 5%:10kb/s' })
    .meta({ flag: 'slow', placeholder: 'share:rate', help: 'clients that read slowly, and how much each reads' }),
  stoppedShare: z
    .number()
    .min(0)
    .max(1)
    .default(0.01)
    .meta({ flag: 'stopped', unit: 'share', help: 'clients that do not read at all' }),
  broadcasts: broadcasts(1000),
  ratePerSecond: rateOption('rate', 50, 100_000, 'broadcasts per second, all shards together, on an open schedule'),
  payloadBytes: bytesOption('payload', 10_000, [48, 1_000_000], 'size of each broadcast’s data'),
  rampRatePerSecond,
  warmUp: warmUp(50),
  drainMs: drainMs(10_000, 'longest time for slow readers to read the rest'),
});

export type SlowReadersOptions = z.output<typeof slowReadersOptions>;

/** Returns the number of broadcasts before some clients stop reading: half of them. */
export function broadcastsBefore({ broadcasts }: Pick<SlowReadersOptions, 'broadcasts'>): number {
  return Math.floor(broadcasts / 2);
}

/** Returns how many clients of the run read slowly and how many do not read. A share above 0 is at least one client. */
export function slowClients({
  clients,
  slow,
  stoppedShare,
}: Pick<SlowReadersOptions, 'clients' | 'slow' | 'stoppedShare'>) {
  const of = (part: number): number => (part > 0 ? Math.max(1, Math.round(clients * part)) : 0);
  const { share, bytesPerSecond } = parseSlow(slow) as SlowShare;
  return { slow: of(share), stopped: of(stoppedShare), bytesPerSecond };
}

/**
 * Returns what client number `client` of the run reads per second once some stop: Infinity for a healthy reader. Slow
 * and stopped ones are spread evenly over the order of connecting.
 */
export function readsPerSecond(options: SlowReadersOptions, client: number): number {
  const { slow, stopped, bytesPerSecond } = slowClients(options);
  const chosen = evenly(client, slow + stopped, options.clients);
  if (chosen === undefined) return Number.POSITIVE_INFINITY;
  return evenly(chosen, stopped, slow + stopped) === undefined ? bytesPerSecond : 0;
}

/** Returns the place of number `n` of `of` among `some` of them that lie evenly. Undefined if it is none of those. */
function evenly(n: number, some: number, of: number): number | undefined {
  const place = Math.floor((n * some) / of);
  return Math.floor(((n + 1) * some) / of) > place ? place : undefined;
}
