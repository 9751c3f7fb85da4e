import { z } from 'zod';
import { countOption, durationOption, optionalDuration, optionalRate } from '../options.js';
import { planRamp } from '../roster/ramp.js';
import { createRoster, type RosterHooks } from '../roster/roster.js';
import { type AudienceContext, isTaken, nothingToReport, type PublisherContext, type Role } from '../scenario.js';
import { streamOptions } from '../traffic/streams.js';

export const idleOptions = z.strictObject({
  clients: countOption('clients', 10_000, [1, 100_000_000], 'clients to open and hold, all shards together'),
  rampRatePerSecond: optionalRate('ramp-rate', 1e6, 'clients opened per second; default: 500, or all in 90 s'),
  settleMs: durationOption('settle', 2000, [0, 3_600_000], 'quiet time between the ramp and the hold'),
  durationMs: durationOption('duration', 60_000, [0, 86_400_000], 'how long to hold the connections'),
  stallMs: durationOption('stall', 15_000, [1000, 600_000], 'end the ramp when no connection opens for this long'),
  ...streamOptions,
  maxPending: countOption('max-pending', 1000, [1, 1_000_000], 'connections that one worker opens at once'),
  probe: z
    .enum(['broadcast', 'ping'])
    .optional()
    .meta({ flag: 'probe', help: 'what proves a connection at the end; without --publish-url, ping' }),
  probeTimeoutMs: optionalDuration('probe-timeout', [100, 600_000], 'for the probe to reach all; default: 30s or more'),
});

export type IdleOptions = z.output<typeof idleOptions>;

/** Returns true if a ping frame to each connection proves it, in place of a broadcast. */
export function isPinged({ probe }: Pick<IdleOptions, 'probe'>): boolean {
  return probe === 'ping';
}

const leastRampPerSecond = 500;
const longestRampSeconds = 90;

/** Returns the connections opened per second: as asked for, or so many that a ramp ends in a minute and a half. */
export function rampRateOf({ rampRatePerSecond, clients }: IdleOptions): number {
  return rampRatePerSecond ?? Math.max(leastRampPerSecond, clients / longestRampSeconds);
}

const leastProbeMs = 30_000;
const probeMsEach = 0.1;

/** Returns the time limit of the probe, in milliseconds: as asked for, or longer the more connections it must reach. */
export function probeTimeoutMsOf({ probeTimeoutMs, clients }: IdleOptions): number {
  return probeTimeoutMs ?? Math.ceil(leastProbeMs + clients * probeMsEach);
}

const retryMs = 1000;

/** Publishes the probe of each stream from the first shard, again and again until the target takes it. */
export function idlePublisher(context: PublisherContext<IdleOptions>): Role {
  const { board, load, nowNs, options, sleep, slice } = context;
  const { streams = 1 } = options;
  const causes: Record<string, number> = {};
  const counts = { probesAttempted: 0, probesAcked: 0 };

  /** Broadcasts of a stream are as far apart as there are streams. */
  const probe = async (stream: number, untilNs: number, signal: AbortSignal): Promise<void> => {
    for (let sequence = stream; sequence < board.size; sequence += streams) {
      if (sequence > stream) await sleep(retryMs, signal);
      if (signal.aborted || (sequence > stream && nowNs() >= untilNs)) return;
      counts.probesAttempted++;
      const name = context.streams?.nameFor(sequence);
      const answer = await context.publish(context.payload(sequence), undefined, name);
      if (isTaken(answer)) {
        counts.probesAcked++;
        return;
      }
      const cause = typeof answer === 'number' ? `http-status:${answer}` : String(answer);
      causes[cause] = (causes[cause] ?? 0) + 1;
    }
  };

  return {
    async stage(name, startAtNs, signal) {
      if (name !== 'probe' || slice.index !== 0 || isPinged(options)) return;
      const untilNs = startAtNs + probeTimeoutMsOf(options) * 1e6;
      let next = 0;
      const probeNext = async (): Promise<void> => {
        while (next < streams) await probe(next++, untilNs, signal);
      };
      await Promise.all(Array.from({ length: Math.min(streams, load.maxInFlight) }, probeNext));
    },
    progress: () => ({}),
    report: () => ({ ...nothingToReport, counts, causes: { publish: causes } }),
  };
}

const lossOf: Readonly<Record<string, LossOccasion>> = { ramp: 'lostInRamp', hold: 'lostInHold', probe: 'lostAtProbe' };

/** Pings sent in one turn of the loop, so that nothing else has to wait for all of them. */
const pingsAtOnce = 500;

const tickMs = 100;

type LossOccasion = 'lostInRamp' | 'lostInHold' | 'lostAtProbe';

/** Opens connections, holds them, and proves at the end which of them still carry a message. */
export function idleAudience(context: AudienceContext<IdleOptions>): Role {
  const { clientCount, options, sleep } = context;
  const isProven = new Uint8Array(clientCount);
  /** Counted independently of the causes in `ramp`: the two must come to the same. */
  const losses: Record<LossOccasion, Record<string, number>> = { lostInRamp: {}, lostInHold: {}, lostAtProbe: {} };
  const nothingOpen = new AbortController();
  let occasion: LossOccasion = 'lostInRamp';
  let proven = 0;
  let isRampOver = false;
  const prove = (client: number): void => {
    if (isProven[client] === 1) return;
    isProven[client] = 1;
    proven++;
  };
  const hooks: RosterHooks = {
    ponged: (client) => {
      if (occasion === 'lostAtProbe') prove(client);
    },
    deliveries: ({ count, client }) => {
      for (let i = 0; i < count; i++) prove(client[i] as number);
    },
  };
  const roster = createRoster(context, hooks, tickMs);
  const ramp = planRamp(roster, {
    lost(_client, cause) {
      losses[occasion][cause] = (losses[occasion][cause] ?? 0) + 1;
      if (!isRampOver || roster.there > 0) return;
      nothingOpen.abort();
      roster.lostOne(cause);
    },
  });

  /** Ends early for a worker without an open connection. Other workers may still hold some. */
  const hold = async (signal: AbortSignal): Promise<void> => {
    if (roster.there === 0) return;
    await sleep(options.settleMs + options.durationMs, AbortSignal.any([signal, nothingOpen.signal]));
  };

  const ping = async (signal: AbortSignal): Promise<void> => {
    for (let client = 0; client < clientCount && !signal.aborted; client++) {
      if (roster.isSubscribed(client)) roster.clients?.ping?.(client);
      if (client % pingsAtOnce === pingsAtOnce - 1) await sleep(1, signal);
    }
  };

  const held = (): number => isProven.filter((each, client) => each === 1 && roster.isSubscribed(client)).length;
  const areAllProven = (): boolean => proven >= roster.there && held() >= roster.there;

  return {
    async stage(name, startAtNs, signal) {
      occasion = lossOf[name] ?? occasion;
      if (name === 'ramp') {
        const { maxPending, stallMs } = options;
        await ramp.run(startAtNs, { ratePerSecond: rampRateOf(options), maxPending, stallMs }, signal);
        isRampOver = true;
      }
      if (name === 'hold') await hold(signal);
      if (name !== 'probe') return;
      if (isPinged(options)) await ping(signal);
      const untilNs = startAtNs + probeTimeoutMsOf(options) * 1e6;
      await roster.waitUntil((nowNs) => nowNs >= untilNs || areAllProven(), signal);
    },
    progress: () => ({ ...ramp.progress(), proven }),
    report() {
      const { counts, causes, timeline, ramp: samples } = ramp.report();
      return {
        counts: { ...counts, subscribers: counts.open, proven, held: held() },
        causes: { ...causes, ...losses },
        timeline,
        samples,
        series: {},
      };
    },
    dispose: () => roster.dispose(),
  };
}
