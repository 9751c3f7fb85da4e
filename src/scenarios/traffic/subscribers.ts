import type { DeliveryBatch } from '../../protocols/protocol.js';
import { Deliveries, type DeliveriesMore } from '../books/deliveries.js';
import { attendanceOf } from '../books/presence.js';
import { dueAtNs, lastsMs } from '../pace.js';
import { planRamp } from '../roster/ramp.js';
import { createRoster } from '../roster/roster.js';
import { planVisits, type VisitHooks, type VisitOptions } from '../roster/visits.js';
import type { AudienceContext, RoleReport } from '../scenario.js';

/** Options of subscribers. Where `stages` are given they have visitors beside them, and with a churn in their place. */
export type SubscriberOptions = VisitOptions & {
  churnPerSecond?: number | undefined;
  rampRatePerSecond: number;
  ratePerSecond: number;
  warmUp: number;
  drainMs: number;
};

/** Changes of a scenario to the counting of its audience. */
export interface SubscribersMore extends Pick<DeliveriesMore, 'isTimed'> {
  taken?(batch: DeliveryBatch): void;
}

/** Holds the subscribers of one worker, and the visitors that come and go while broadcasts flow. */
export function subscribers(context: AudienceContext<SubscriberOptions>, { taken, ...more }: SubscribersMore = {}) {
  const { board, nowNs, options } = context;
  const { churnPerSecond: perSecond, drainMs, rampRatePerSecond, ratePerSecond } = options;
  let isPublishing = false;
  const roster = createRoster(context, {
    deliveries(batch) {
      book.take(batch);
      taken?.(batch);
    },
  });
  const ramp = planRamp(roster, {
    subscribed: (client) => book.admit(client),
    lost(client, cause) {
      if (isPublishing) roster.lostOne(cause);
      else book.dismiss(client);
    },
  });
  const churn = perSecond ? { perSecond, scheduleMs: lastsMs(board.size, ratePerSecond) } : undefined;
  const hooks: VisitHooks = {
    arrived(client, toNs) {
      attendance.admit(client, nowNs(), toNs);
      book.admit(client);
    },
    cut: (_client, cause) => roster.lostOne(cause),
    hasAll: (client) => book.hasAll(client),
    resident: (client, toNs) => attendance.admit(client, 0, toNs),
  };
  const visits = planVisits(roster, context, hooks, churn);
  const attendance = attendanceOf(context, visits.firstLeaving);
  const book = new Deliveries(context, {
    ...more,
    ...(visits.isPlanned && { isOwed: (client, sequence) => attendance.isOwed(client, sequence) }),
  });
  const tick = (): void => visits.tick();

  const publish = async (startAtNs: number, signal: AbortSignal): Promise<void> => {
    isPublishing = true;
    roster.hasClients('publish to');
    if (!visits.isPlanned) return;
    attendance.begin(startAtNs);
    visits.begin(startAtNs);
    const endNs = startAtNs + dueAtNs(board.size, ratePerSecond);
    await roster.waitUntil((nowNs) => nowNs >= endNs, signal, tick);
  };

  return {
    ...{ book, roster, visits },
    async stage(name: string, startAtNs: number, signal: AbortSignal): Promise<void> {
      if (name === 'ramp')
        await ramp.run(startAtNs, { ratePerSecond: rampRatePerSecond, upTo: visits.staying }, signal);
      if (name === 'publish') await publish(startAtNs, signal);
      if (name !== 'drain') return;
      const endNs = startAtNs + drainMs * 1e6;
      const haveAll = (): boolean => book.haveAll((client) => roster.isThere(client));
      await roster.waitUntil((nowNs) => nowNs >= endNs || haveAll(), signal, tick);
      book.close();
    },
    progress: (): Record<string, number> => ({ ...ramp.progress(), received: book.received, ...visits.progress() }),
    bins: () => book.deliveryBins,
    report(): RoleReport {
      const counted = book.report();
      const { counts, causes, timeline, ramp: samples } = ramp.report();
      return visits.reportWith({
        counts: { ...counts, ...counted.counts },
        ...{ causes, timeline, series: counted.series },
        samples: { ...counted.samples, ...samples },
      });
    },
    dispose: () => roster.dispose(),
  };
}
