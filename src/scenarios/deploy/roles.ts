import { z } from 'zod';
import type { Recorder } from '../../measure/samples/recorder.js';
import { sumCounts } from '../../measure/samples/sample-sum.js';
import type { DeliveryBatch } from '../../protocols/protocol.js';
import { Deliveries } from '../books/deliveries.js';
import { presenceOf } from '../books/presence.js';
import {
  broadcasts,
  choiceOption,
  clientsOption,
  countOption,
  drainMs,
  durationOption,
  payloadBytes,
  rampRatePerSecond,
  rateOption,
  warmUp,
} from '../options.js';
import { planRamp } from '../roster/ramp.js';
import { followRestart } from '../roster/restart.js';
import { endedBy, returnOptions } from '../roster/returning.js';
import { createRoster } from '../roster/roster.js';
import type { AudienceContext, PublisherContext, Role } from '../scenario.js';
import { publishBroadcasts } from '../traffic/broadcasts.js';
import { dueAtNs } from '../traffic/schedule.js';

/** Places where the publishing application runs: in the target, or in front of it as a process of its own. */
export const places = ['embedded', 'standalone'] as const;

export const deployOptions = z.strictObject({
  clients: clientsOption,
  application: z.enum(places).optional().meta({
    flag: 'application',
    help: 'where the application runs; by default as the target is made for',
  }),
  applicationProcesses: countOption('application-processes', 1, [1, 64], 'processes of a standalone application'),
  rollout: choiceOption('rollout', ['rolling', 'at-once'], 'rolling', 'redeploy one process after the other, or all'),
  pauseMs: durationOption('pause', 1000, [0, 600_000], 'rolling: pause between a serving process and the next stop'),
  downMs: durationOption('down', 0, [0, 600_000], 'how long a stopped process stays away before it starts again'),
  endedBy,
  broadcasts: broadcasts(60),
  ratePerSecond: rateOption('rate', 2, 100_000, 'broadcasts per second, all shards together, on an open schedule'),
  beforeMs: durationOption('before', 5000, [0, 3_600_000], 'time from the first measured broadcast to the redeploy'),
  payloadBytes,
  rampRatePerSecond,
  warmUp: warmUp(4),
  ...returnOptions,
  drainMs: drainMs(5000, 'longest wait for clients and late deliveries after the last broadcast'),
});

export type DeployOptions = z.output<typeof deployOptions>;

/** Publishes on one open schedule from the steady stage on, whatever happens to the application. */
export function deployPublisher(context: PublisherContext<DeployOptions>): Role {
  const { board, options, until } = context;
  const broadcasts = publishBroadcasts(context);
  let underWay: Promise<void> = Promise.resolve();
  let orderNs = never;
  return {
    async stage(name, startAtNs, signal) {
      if (name === 'steady') {
        underWay = broadcasts.publish(startAtNs, signal);
        await until(orderAtNs(startAtNs, options), signal);
      }
      if (name === 'redeploy') {
        orderNs = startAtNs;
        await underWay;
      }
    },
    progress: () => broadcasts.progress(),
    report() {
      const report = broadcasts.report();
      const { acked } = report.series as Record<'acked', Uint32Array>;
      const intendedAtNs = board.intendedAtNs.subarray(options.warmUp);
      const after = acked.filter((_, broadcast) => (intendedAtNs[broadcast] as number) >= orderNs);
      const unpublishedAfter = after.filter((isAcked) => isAcked === 0).length;
      return {
        ...report,
        counts: { ...report.counts, dueAfter: after.length, unpublishedAfter },
        causes: { publish: report.causes.publish ?? {} },
      };
    },
  };
}

function orderAtNs(startAtNs: number, { warmUp, ratePerSecond, beforeMs }: DeployOptions): number {
  return startAtNs + dueAtNs(warmUp, ratePerSecond) + beforeMs * 1e6;
}

const never = Number.POSITIVE_INFINITY;
const gatesMs = 10_000;

/** Holds the subscribers of one worker while the application that publishes to them is redeployed. */
export function deployAudience(context: AudienceContext<DeployOptions>): Role {
  const { board, clientCount, nowNs, options } = context;
  const { drainMs, rampRatePerSecond, ratePerSecond } = options;
  const presence = presenceOf(context, clientCount);
  const gaps = gapsOf(clientCount, context.recorder());
  const book = new Deliveries(context, { presence });
  let hasBegun = false;
  let reopening: Promise<void> = Promise.resolve();
  let scheduleEndNs = never;
  let closedNs = never;
  let cutsBefore: number | undefined;
  const roster = createRoster(context, {
    deliveries(batch) {
      if (closedNs === never) gaps.take(batch);
      restart.deliveries(batch);
      book.take(batch);
    },
  });
  const ramp = planRamp(roster, {
    subscribed: (client) => book.admit(client),
    lost: (client) => book.dismiss(client),
  });
  const restart = followRestart(roster, { ...options, deadlineMs: afterOrderMs(options) }, presence);
  const { returning } = restart;

  const steady = async (startAtNs: number, signal: AbortSignal): Promise<void> => {
    scheduleEndNs = startAtNs + dueAtNs(board.size, ratePerSecond);
    if (!roster.hasClients('publish to')) return;
    hasBegun = true;
    presence.begin(startAtNs);
    restart.begin(never);
    // Clients also come back while the run waits at a gate between the stages.
    const tick = (): void => restart.tick();
    reopening = roster.waitUntil(() => closedNs < never, signal, tick);
    const orderNs = orderAtNs(startAtNs, options);
    await roster.waitUntil((nowNs) => nowNs >= orderNs, signal);
  };

  /** Begins before `startAtNs`, while the order is on its way to all shards. */
  const redeploy = async (startAtNs: number, signal: AbortSignal): Promise<void> => {
    cutsBefore = restart.cuts;
    restart.ordered(startAtNs);
    gaps.ordered(startAtNs);
    const limitNs = scheduleEndNs + drainMs * 1e6;
    const isAllBack = (nowNs: number): boolean => nowNs >= scheduleEndNs && returning.away === 0;
    await roster.waitUntil((nowNs) => nowNs >= limitNs || isAllBack(nowNs), signal);
  };

  const drained = async (startAtNs: number, signal: AbortSignal): Promise<void> => {
    const endNs = startAtNs + drainMs * 1e6;
    const isComplete = (): boolean => returning.away === 0 && book.haveAll((client) => roster.isThere(client));
    await roster.waitUntil((nowNs) => nowNs >= endNs || isComplete(), signal);
    closedNs = nowNs();
    await reopening;
    book.close();
    roster.close();
  };

  return {
    async stage(name, startAtNs, signal) {
      if (name === 'ramp') await ramp.run(startAtNs, { ratePerSecond: rampRatePerSecond }, signal);
      if (name === 'steady') await steady(startAtNs, signal);
      if (name === 'redeploy') await redeploy(startAtNs, signal);
      if (name === 'drain') await drained(startAtNs, signal);
    },
    progress: () => ({ ...ramp.progress(), ...(hasBegun && restart.progress()), received: book.received }),
    report() {
      const [counted, ramped, returned] = [book.report(), ramp.report(), restart.report()];
      // Before the broadcasts begin, every client that is there was never cut.
      const opened = hasBegun ? returning.members : ramped.counts.open;
      const gap = gaps.report({
        isMember: (client) => (hasBegun ? returning.isMember(client) : roster.isSubscribed(client)),
        isSilent: (client) => restart.isSilent(client),
        // A broadcast that is due for no client ends no gap.
        atNs: Math.min(closedNs, nowNs(), scheduleEndNs),
        everyNs: dueAtNs(1, ratePerSecond),
      });
      const { disconnect, disconnectAtLeast } = returned.samples;
      return {
        counts: {
          ...{ ...ramped.counts, ...returned.counts, ...gap.counts, ...counted.counts },
          ...{ opened, open: opened, neverCut: hasBegun ? returned.counts.neverCut : opened },
          cutsBefore: cutsBefore ?? restart.cuts,
        },
        causes: {
          ...returned.causes,
          connect: ramped.causes.connect,
          close: sumCounts([ramped.causes.close, returned.causes.cut, returned.causes.cutAgain]),
        },
        timeline: ramped.timeline,
        samples: { ...counted.samples, ...gap.samples, ...returned.absences, disconnect, disconnectAtLeast },
        series: { ...counted.series, cutInMs: returned.series.cutInMs },
      };
    },
    dispose: () => roster.dispose(),
  };
}

function afterOrderMs({ broadcasts, ratePerSecond, beforeMs, drainMs }: DeployOptions): number {
  const publishingMs = Math.max(0, dueAtNs(broadcasts, ratePerSecond) / 1e6 - beforeMs);
  return Math.ceil(publishingMs + 2 * drainMs + gatesMs);
}

export interface GapEnd {
  isMember(client: number): boolean;
  isSilent(client: number): boolean;
  /** Instant when the last broadcast was due, or when the counting closed before that. */
  atNs: number;
  everyNs: number;
}

/** Measures the longest time that each client went without a delivery and that ended after the redeploy order. */
export function gapsOf(clients: number, recorder: Recorder) {
  const last = new Float64Array(clients);
  const longest = new Float64Array(clients);
  let orderNs = never;
  return {
    ordered(atNs: number): void {
      orderNs = atNs;
    },
    /** Takes live deliveries and replayed ones alike. Hot path: allocates nothing. */
    take(batch: DeliveryBatch): void {
      for (let i = 0; i < batch.count; i++) {
        const client = batch.client[i] as number;
        const atNs = batch.receivedAtNs[i] as number;
        const lastNs = last[client] as number;
        last[client] = atNs;
        if (lastNs === 0 || atNs < orderNs) continue;
        if (atNs - lastNs > (longest[client] as number)) longest[client] = atNs - lastNs;
      }
    },
    /** Returns one sample per member with a delivery. A gap that the end cut off counts as open, until `atNs`. */
    report({ isMember, isSilent, atNs, everyNs }: GapEnd) {
      const counts = { gaps: 0, openGaps: 0, unheard: 0 };
      last.forEach((lastNs, client) => {
        if (!isMember(client)) return;
        if (lastNs === 0) {
          counts.unheard++;
          return;
        }
        const closedNs = longest[client] as number;
        const restNs = atNs - lastNs;
        const isOpen = closedNs === 0 || isSilent(client) || restNs > Math.max(closedNs, 2 * everyNs);
        counts[isOpen ? 'openGaps' : 'gaps']++;
        recorder.record(Math.max(closedNs, isOpen ? restNs : 0) / 1000);
      });
      return { counts, samples: { gap: recorder.finish() } };
    },
  };
}
