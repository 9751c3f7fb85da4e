import { z } from 'zod';
import { broadcastState } from '../../measure/samples/recorder.js';
import { sumCounts } from '../../measure/samples/sample-sum.js';
import { bytes, share } from '../../units/unit.js';
import { Deliveries } from '../books/deliveries.js';
import { presenceOf } from '../books/presence.js';
import { broadcasts, bytesOption, countOption, drainMs, rampRatePerSecond, rateOption, warmUp } from '../options.js';
import { planRamp } from '../roster/ramp.js';
import { defaultBackoff, planReturns } from '../roster/returning.js';
import { createRoster } from '../roster/roster.js';
import type { AudienceContext, Role } from '../scenario.js';
import { dueAtNs } from '../traffic/schedule.js';

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

/** Returns what a client of the run reads per second once some stop. Slow ones are spread evenly over all. */
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

const readEveryNs = 100e6;
/** A client that came back gets this long for what it missed. */
const replayWithinNs = 2e9;

/** Holds the subscribers of one worker, of which some read slowly or not at all from the middle of the run on. */
export function slowReadersAudience(context: AudienceContext<SlowReadersOptions>): Role {
  const { board, clientCount, firstClient, nowNs, options, slice } = context;
  const { drainMs, rampRatePerSecond, ratePerSecond } = options;
  const rates = new Map<number, number>();
  for (let client = 0; client < clientCount; client++) {
    const rate = readsPerSecond(options, firstClient + client);
    if (Number.isFinite(rate)) rates.set(client, rate);
  }
  /** Those that still read slowly, and those that were cut, whose next connection reads freely. */
  const limited = new Map(rates);
  const wereCut = new Set<number>();
  const backAtNs = new Float64Array(clientCount);
  const firstCuts: Record<string, number> = {};
  const cuts: Record<string, number> = {};
  const cutAfter = context.recorder();
  let isPublishing = false;
  let isReadingOn = false;
  let slowAtNs = Number.POSITIVE_INFINITY;
  let readAtNs = 0;
  let lastBackNs = 0;
  let beginsAtNs = 0;
  const presence = presenceOf(context, clientCount);
  const recovered = new Uint32Array(board.size - options.warmUp);
  const healthy = new Deliveries(context, { before: broadcastsBefore(options) });
  const sentNs = (sequence: number): number =>
    (board.sentAtNs[sequence] as number) || beginsAtNs + dueAtNs(sequence, ratePerSecond);
  /** Counts what slow readers are owed. Its replays come after a cut, or once they read freely again. */
  const slow = new Deliveries(context, {
    isTimed: () => false,
    presence: {
      isReplay(client, sequence) {
        if (!wereCut.has(client)) return isReadingOn;
        const isRecovered = presence.isReplay(client, sequence);
        const at = sequence - options.warmUp;
        if (isRecovered && at >= 0) recovered[at] = (recovered[at] as number) + 1;
        return isRecovered;
      },
      cameLive: () => undefined,
      wasAway: (client, sequence) =>
        wereCut.has(client) &&
        (!roster.isThere(client) ||
          sentNs(sequence) <= (backAtNs[client] as number) ||
          presence.wasAway(client, sequence)),
    },
  });
  const bookOf = (client: number): Deliveries => (rates.has(client) ? slow : healthy);
  const roster = createRoster(context, {
    deliveries(batch) {
      healthy.take(batch);
      slow.take(batch);
    },
  });
  const ramp = planRamp(roster, {
    subscribed: (client) => bookOf(client).admit(client),
    lost(client, cause) {
      if (!isPublishing) {
        bookOf(client).dismiss(client);
        return;
      }
      roster.lostOne(cause);
    },
  });
  const returning = planReturns(roster, defaultBackoff, {
    absences: presence,
    cut(client, cause, atNs) {
      cuts[cause] = (cuts[cause] ?? 0) + 1;
      limited.delete(client);
      if (wereCut.has(client)) return;
      wereCut.add(client);
      firstCuts[cause] = (firstCuts[cause] ?? 0) + 1;
      cutAfter.record(Math.max(0, atNs - slowAtNs) / 1000);
    },
    back(client, atNs) {
      backAtNs[client] = atNs;
      lastBackNs = Math.max(lastBackNs, atNs);
    },
  });

  /** Returns true if this shard's first broadcast from that number on has left, or never will. */
  const hasLeft = (from: number): boolean => {
    let sequence = from;
    while (sequence % slice.of !== slice.index) sequence++;
    return sequence >= board.size || board.state[sequence] !== broadcastState.unsent;
  };

  const letRead = (bytesOf: (rate: number) => number): void => {
    for (const [client, rate] of limited) roster.clients?.readAtMost?.(client, bytesOf(rate));
  };

  const readSlowly = (): void => {
    const atNs = nowNs();
    if (readAtNs === 0) slowAtNs = readAtNs = atNs;
    if (atNs < readAtNs) return;
    const seconds = (atNs - readAtNs + readEveryNs) / 1e9;
    readAtNs = atNs + readEveryNs;
    letRead((rate) => Math.ceil(rate * seconds));
  };

  const publish = async (startAtNs: number, signal: AbortSignal): Promise<void> => {
    const half = options.warmUp + broadcastsBefore(options);
    const isBehind = (nowNs: number, due: number, sent: number): boolean =>
      nowNs >= startAtNs + dueAtNs(due, ratePerSecond) && hasLeft(sent);
    isPublishing = true;
    beginsAtNs = startAtNs;
    presence.begin(startAtNs);
    returning.begin((client) => rates.has(client));
    roster.hasClients('publish to');
    const isOver = (nowNs: number): boolean => isBehind(nowNs, board.size, Math.max(0, board.size - slice.of));
    await roster.waitUntil(isOver, signal, () => {
      if (readAtNs > 0 || isBehind(nowNs(), half, half)) readSlowly();
      returning.tick();
    });
  };

  /** Slow readers read freely again, so that each sees what the target kept for it, or that it was cut and returns. */
  const drained = async (startAtNs: number, signal: AbortSignal): Promise<void> => {
    isReadingOn = true;
    letRead(() => Number.POSITIVE_INFINITY);
    const endNs = startAtNs + drainMs * 1e6;
    const isThere = (isSlow: boolean) => (client: number) =>
      roster.isThere(client) && rates.has(client) === isSlow && !wereCut.has(client);
    const isComplete = (nowNs: number): boolean =>
      healthy.haveAll(isThere(false)) &&
      slow.haveAll(isThere(true)) &&
      returning.away === 0 &&
      (nowNs >= lastBackNs + replayWithinNs || slow.haveAll((client) => wereCut.has(client)));
    await roster.waitUntil(
      (nowNs) => nowNs >= endNs || isComplete(nowNs),
      signal,
      () => returning.tick(),
    );
    for (const each of [healthy, slow, roster]) each.close();
  };

  return {
    async stage(name, startAtNs, signal) {
      if (name === 'ramp') await ramp.run(startAtNs, { ratePerSecond: rampRatePerSecond }, signal);
      if (name === 'publish') await publish(startAtNs, signal);
      if (name === 'drain') await drained(startAtNs, signal);
    },
    progress: () => ({ ...ramp.progress(), received: healthy.received + slow.received }),
    bins: () => healthy.times.bins,
    report() {
      const [one, other] = [healthy.report(), slow.report()];
      const { counts, causes, timeline, ramp: samples } = ramp.report();
      const returned = returning.report();
      const { resumes, recovered: recoveredBy } = returned.counts;
      const there = [...rates.keys()].filter((client) => roster.isSubscribed(client));
      const slowBack = there.filter((client) => wereCut.has(client)).length;
      const sumOf = (name: 'received' | 'duplicate' | 'late' | 'subscribers'): number =>
        one.counts[name] + other.counts[name];
      return {
        counts: {
          ...{ ...counts, ...one.counts },
          ...{
            received: sumOf('received'),
            duplicate: sumOf('duplicate'),
            late: sumOf('late'),
            subscribers: sumOf('subscribers'),
          },
          ...{ slowReaders: other.counts.subscribers, slowStayed: there.length - slowBack, slowBack },
          ...{ open: counts.open + returning.members, resumes, recovered: recoveredBy },
        },
        causes: {
          ...{ ...causes, close: sumCounts([causes.close, cuts]) },
          ...{ slowCut: firstCuts, notBack: returned.notBack },
        },
        timeline,
        samples: { ...one.samples, ...samples, cutAfter: cutAfter.finish() },
        series: {
          ...one.series,
          slowDelivered: other.series.delivered!,
          slowRead: other.series.cameLive!,
          slowReadLater: other.series.cameReplayed!.map((came, n) => came - (recovered[n] as number)),
          slowRecovered: recovered,
          slowMissedByCut: other.series.missedAway!,
          slowMissed: other.series.missedThere!,
        },
      };
    },
    dispose: () => roster.dispose(),
  };
}
