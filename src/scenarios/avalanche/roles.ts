import { z } from 'zod';
import { broadcastState } from '../../measure/samples/recorder.js';
import { sumCounts } from '../../measure/samples/sample-sum.js';
import { clientsOption, countOption, durationOption, payloadBytes, rampRatePerSecond, rateOption } from '../options.js';
import { planRamp } from '../roster/ramp.js';
import { followRestart } from '../roster/restart.js';
import { endedBy, returnOptions } from '../roster/returning.js';
import { createRoster } from '../roster/roster.js';
import type { AudienceContext, PublisherContext, Role } from '../scenario.js';
import { publishBroadcasts } from '../traffic/broadcasts.js';
import { dueAtNs } from '../traffic/schedule.js';

export const avalancheOptions = z.strictObject({
  clients: clientsOption,
  ratePerSecond: rateOption('rate', 4, 100, 'broadcasts per second that prove which clients are back'),
  payloadBytes,
  rampRatePerSecond,
  calmBroadcasts: countOption('calm', 4, [1, 100_000], 'broadcasts before the restart that prove every client'),
  calmWithinMs: durationOption('calm-within', 5000, [0, 600_000], 'longest wait for a first delivery to every client'),
  endedBy,
  deadlineMs: durationOption('deadline', 60_000, [1000, 600_000], 'longest wait for clients after the restart order'),
  ...returnOptions,
});

export type AvalancheOptions = z.output<typeof avalancheOptions>;

/** Publishes the calm's broadcasts, then the storm's until the drain, as other shards may still wait. */
export function avalanchePublisher(context: PublisherContext<AvalancheOptions>): Role {
  const { ratePerSecond, calmBroadcasts } = context.options;
  const broadcasts = publishBroadcasts({ ...context, options: { ratePerSecond, warmUp: calmBroadcasts } });
  const end = new AbortController();
  let underWay: Promise<void> = Promise.resolve();
  return {
    async stage(name, startAtNs, signal) {
      signal.addEventListener('abort', () => end.abort());
      if (name === 'calm') await broadcasts.publish(startAtNs, signal, 0, calmBroadcasts);
      if (name === 'storm') underWay = broadcasts.publish(startAtNs, end.signal, calmBroadcasts);
      if (name === 'drain') {
        end.abort();
        await underWay;
      }
    },
    progress() {
      const { published = 0, acked = 0 } = broadcasts.progress();
      return { published, acked };
    },
    report() {
      const { counts, causes, samples } = broadcasts.report();
      const { sent, acked, refused, failed } = broadcastState;
      const { state } = context.board;
      const at = (...states: readonly number[]): number => state.filter((each) => states.includes(each)).length;
      return {
        counts: {
          ...{ attempted: at(sent, acked, refused, failed), acked: at(acked), refused: at(refused) },
          ...{ failedPublishes: at(sent, failed), latePublishes: counts.latePublishes ?? 0 },
        },
        causes: { publish: sumCounts([causes.warmUp ?? {}, causes.publish ?? {}]) },
        samples,
        series: {},
        timeline: {},
      };
    },
  };
}

/** Holds the subscribers of one worker. Broadcasts prove them before and after a restart of the target. */
export function avalancheAudience(context: AudienceContext<AvalancheOptions>): Role {
  const { calmBroadcasts, calmWithinMs, deadlineMs, rampRatePerSecond, ratePerSecond } = context.options;
  const heard = new Uint8Array(context.clientCount);
  const count = { heard: 0, received: 0 };
  let isOrdered = false;
  let wasDeadline = false;
  const roster = createRoster(context, {
    deliveries(batch) {
      count.received += batch.count;
      if (isOrdered) restart.deliveries(batch);
      else for (let i = 0; i < batch.count; i++) hear(batch.client[i] as number);
    },
  });
  const ramp = planRamp(roster, {
    lost(client) {
      if (heard[client] === 1) count.heard--;
      heard[client] = 0;
    },
  });
  const restart = followRestart(roster, context.options);

  const hear = (client: number): void => {
    if (heard[client] === 1 || !roster.isSubscribed(client)) return;
    heard[client] = 1;
    count.heard++;
  };

  const calm = async (startAtNs: number, signal: AbortSignal): Promise<void> => {
    roster.hasClients('prove');
    const endNs = startAtNs + dueAtNs(calmBroadcasts - 1, ratePerSecond) + calmWithinMs * 1e6;
    await roster.waitUntil((nowNs) => count.heard >= roster.there || nowNs >= endNs, signal);
  };

  /** Begins before `startAtNs`, while the order travels to all shards, so that no cut is missed. */
  const storm = async (startAtNs: number, signal: AbortSignal): Promise<void> => {
    if (roster.clients === undefined) return;
    isOrdered = true;
    restart.begin(startAtNs);
    const endNs = startAtNs + deadlineMs * 1e6;
    const isOver = (nowNs: number): boolean => restart.isComplete || nowNs >= endNs;
    await roster.waitUntil(isOver, signal, () => restart.tick());
    wasDeadline = !signal.aborted;
    roster.close();
  };

  return {
    async stage(name, startAtNs, signal) {
      if (name === 'ramp') await ramp.run(startAtNs, { ratePerSecond: rampRatePerSecond }, signal);
      if (name === 'calm') await calm(startAtNs, signal);
      if (name === 'storm') await storm(startAtNs, signal);
    },
    progress: () => ({ ...ramp.progress(), ...(isOrdered && restart.progress()), received: count.received }),
    report() {
      const { counts, causes, timeline, ramp: samples } = ramp.report();
      const returned = restart.report();
      // Without an order no client was cut by it.
      const there = isOrdered ? returned.counts.opened : counts.open;
      const isThere = (client: number): boolean =>
        isOrdered ? restart.returning.isMember(client) : roster.isSubscribed(client);
      return {
        counts: {
          ...returned.counts,
          asked: counts.asked,
          // A run that was aborted cannot count clients it no longer awaits as overdue.
          overdue: wasDeadline ? returned.counts.cut - returned.counts.proven : 0,
          notStarted: counts.asked - counts.started,
          ...{ opened: there, subscribers: there, lostBefore: counts.opened - there },
          neverCut: isOrdered ? returned.counts.neverCut : there,
          provenBefore: heard.filter((each, client) => each === 1 && isThere(client)).length,
          received: count.received,
        },
        causes: {
          ...returned.causes,
          connect: causes.connect,
          close: sumCounts([causes.close, returned.causes.cut]),
        },
        timeline,
        samples: { ...returned.samples, wait: returned.absences.wait, ...samples },
        series: returned.series,
      };
    },
    dispose: () => roster.dispose(),
  };
}
