import type { TargetSlots } from '../../measure/paired/slots.js';
import { finished, type Recorder, recordersOf } from '../../measure/samples/recorder.js';
import type { Cause } from '../../protocols/protocol.js';
import { dueAtNs, dueCount } from '../traffic/schedule.js';
import { type ClientPlan, clientState, type Roster } from './roster.js';

/** Describes the pace of a ramp and its end. */
export interface RampPlan {
  /** Clients per second of all workers and shards together. */
  ratePerSecond: number;
  /** Largest number of clients of this worker that are on their way at once; without it as many as the rate brings. */
  maxPending?: number;
  /** Ends the ramp if no client becomes ready for this long; without it each client's own timeouts end it. */
  stallMs?: number;
  /** Ends the ramp at this many clients opened or failed in all ramps so far; without it at all clients. */
  upTo?: number;
}

export interface RampHooks {
  subscribed?(client: number): void;
  lost?(client: number, cause: Cause): void;
}

/** Largest number of clients on their way in a comparison. There all targets ramp at once, as fast as they can. */
const pendingInSlots = 256;

export function mostPending({ slots }: { slots?: TargetSlots | undefined }): number {
  return slots ? pendingInSlots : Number.POSITIVE_INFINITY;
}

/** Interval at which the schedule is checked, in milliseconds. A due client starts up to that much late. */
const tickMs = 1;
/** Interval at which clients without a confirmation are searched. Each search checks all clients. */
const sweepNs = 50e6;
const timed = ['tcp', 'connect', 'subscribe', 'handshake', 'handshakeFromIntended', 'connectLag'] as const;
const atLeast = ['tcpAtLeast', 'connectAtLeast', 'subscribeAtLeast', 'handshakeAtLeast'] as const;

export type Ramp = ReturnType<typeof planRamp>;

/** Makes the plan of fixed clients: opened evenly, each proven, every end counted by cause and second. */
export function planRamp(roster: Roster, hooks: RampHooks = {}) {
  const { context } = roster;
  const { clientCount, recorder } = context;
  const intendedNs = new Float64Array(clientCount);
  const metrics = recordersOf(recorder, ...timed, ...atLeast);
  let ofTls: Record<'tls' | 'tlsAtLeast', Recorder> | undefined;
  const causes: Record<'connect' | 'close', Record<string, number>> = { connect: {}, close: {} };
  let [started, opened, failed, lost] = [0, 0, 0, 0];
  let readyAtNs = 0;
  /** Instants when the first and the last client were started. */
  let [firstNs, lastNs] = [0, 0];
  /** Returns how many clients may have been started by then; set only during the ramp. */
  let due: ((nowNs: number) => number) | undefined;
  let mostAtOnce = 0;
  let intended: (client: number) => number = () => 0;
  const pending = (): number => started - opened - failed;

  const start = (nowNs: number): void => {
    if (due === undefined) return;
    // A wait with nothing under way is not a stall of the target.
    if (pending() === 0) readyAtNs = nowNs;
    for (const until = due(nowNs); started < until; started++) {
      if (started === 0) firstNs = nowNs;
      lastNs = nowNs;
      intendedNs[started] = intended(started);
      roster.open(started);
    }
  };

  /** Starts the next client at once if the bound held it back. No failure while opening leads back here. */
  const startHeldBack = (nowNs: number): void => {
    if (pending() === mostAtOnce - 1) start(nowNs);
  };

  /** Counts clients still on their way as failed if the ramp ends by a stall, or by the rig. */
  const abandonPending = (isOurs: boolean): void => {
    for (let client = 0; client < started; client++) {
      if (!roster.isOnItsWay(client)) continue;
      const timeout = roster.is(client, clientState.open) ? 'subscribe-timeout' : 'connect-timeout';
      roster.giveUpOn(client, isOurs ? 'ours' : timeout);
    }
  };

  const recordLag = (client: number): void =>
    metrics.connectLag.record(
      Math.max(0, (roster.startedNs[client] as number) - (intendedNs[client] as number)) / 1000,
    );

  const count = (occasion: 'connect' | 'close', word: string, cause: Cause): number => {
    causes[occasion][cause] = (causes[occasion][cause] ?? 0) + 1;
    const nowNs = context.nowNs();
    roster.timeline.count(`${word} ${cause}`, nowNs);
    return nowNs;
  };

  const plan: ClientPlan = {
    ...{ returns: false, toCome: 0 },
    opened(client, upgradeNs, tcpNs, tcpLeastNs, tls) {
      recordLag(client);
      if (!Number.isNaN(tcpNs)) {
        metrics.tcp.record(tcpNs / 1000);
        metrics.tcpAtLeast.record(tcpLeastNs / 1000);
      }
      if (tls !== undefined) {
        ofTls ??= recordersOf(recorder, 'tls', 'tlsAtLeast');
        ofTls.tls.record(tls.tookNs / 1000);
        ofTls.tlsAtLeast.record(tls.leastNs / 1000);
      }
      metrics.connect.record(upgradeNs / 1000);
      metrics.connectAtLeast.record((roster.leastSinceNs[client] as number) / 1000);
    },
    subscribed(client) {
      const [sinceNs, startedNs] = [roster.sinceNs[client] as number, roster.startedNs[client] as number];
      const nowNs = context.nowNs();
      opened++;
      readyAtNs = nowNs;
      // Stamps of the kernel are from another clock, which is matched within some microseconds.
      const arrivedNs = Math.max(sinceNs, roster.arrivedAtNs(client));
      metrics.subscribe.record((arrivedNs - sinceNs) / 1000);
      metrics.handshake.record((arrivedNs - startedNs) / 1000);
      metrics.handshakeFromIntended.record((arrivedNs - (intendedNs[client] as number)) / 1000);
      const leastNs = roster.leastNs(client);
      metrics.subscribeAtLeast.record((leastNs - (roster.leastSinceNs[client] as number)) / 1000);
      metrics.handshakeAtLeast.record(leastNs / 1000);
      roster.timeline.count('opened', nowNs);
      roster.clients?.settled?.(client);
      hooks.subscribed?.(client);
      startHeldBack(nowNs);
    },
    failed(client, cause, wasOpen) {
      if (!wasOpen) recordLag(client);
      const nowNs = count('connect', 'failed', cause);
      failed++;
      roster.clients?.settled?.(client, cause);
      startHeldBack(nowNs);
    },
    cut(client, cause) {
      count('close', 'closed', cause);
      lost++;
      hooks.lost?.(client, cause);
    },
  };
  for (let client = 0; client < clientCount; client++) roster.follow(client, plan);

  return {
    /** Opens the clients of the plan. Resolves when each is subscribed or ended, on a stall, or on abort. */
    async run(startAtNs: number, { ratePerSecond, ...plan }: RampPlan, signal: AbortSignal): Promise<void> {
      const { upTo = clientCount, maxPending = mostPending(context), stallMs = Number.POSITIVE_INFINITY } = plan;
      const before = started;
      await roster.begin(startAtNs);
      // Loading a client library takes time. The ramp begins after it, or its first tick would be a burst.
      const rampAtNs = Math.max(startAtNs, context.nowNs());
      const rate = (ratePerSecond * clientCount) / context.totalClients;
      readyAtNs = rampAtNs;
      intended = (client) => rampAtNs + dueAtNs(client - before, rate);
      mostAtOnce = maxPending;
      due = (nowNs) =>
        Math.min(before + dueCount(nowNs - rampAtNs, upTo - before, rate), started + maxPending - pending());
      let sweepAtNs = rampAtNs;
      while (!signal.aborted && opened + failed < upTo) {
        const nowNs = context.nowNs();
        if (pending() > 0 && nowNs - readyAtNs > stallMs * 1e6) break;
        start(nowNs);
        if (nowNs >= sweepAtNs) {
          sweepAtNs = nowNs + sweepNs;
          roster.sweep();
        }
        await context.sleep(tickMs, signal);
      }
      due = undefined;
      abandonPending(signal.aborted);
    },
    progress: (): Record<string, number> => ({ started, subscribers: roster.there, failed, lost }),
    /** Returns arrivals per second, as scheduled and as started. Those of all workers and shards add up. */
    arrivalRates(): Record<string, number> {
      const last = started - 1;
      // Arrivals that were all made in one turn have no rate.
      if (last < 1 || lastNs === firstNs) return {};
      const offeredNs = (intendedNs[last] as number) - (intendedNs[0] as number);
      return { offeredPerSecond: (last * 1e9) / offeredNs, achievedPerSecond: (last * 1e9) / (lastNs - firstNs) };
    },
    /** Samples are sorted when they are read: not every scenario reports all of them. */
    report: () => ({
      counts: { asked: clientCount, started, opened, open: roster.count(plan, clientState.subscribed), failed },
      causes,
      timeline: roster.timeline.report(),
      get samples() {
        return { ...finished(metrics), ...(ofTls && finished(ofTls)) };
      },
      /** Samples for scenarios that connect before their measurement. */
      get ramp() {
        const { connect, connectAtLeast, subscribe, subscribeAtLeast } = metrics;
        return finished({ connect, connectAtLeast, subscribe, subscribeAtLeast });
      },
    }),
  };
}
