import { finished, recordersOf } from '../../measure/samples/recorder.js';
import type { DeliveryBatch } from '../../protocols/protocol.js';
import { type AbsenceEvents, type Backoff, planReturns } from './returning.js';
import { clientState, type Roster } from './roster.js';

export interface RestartOptions extends Omit<Backoff, 'seed'> {
  /** Longest time after the order at which a delivery still proves a client. */
  deadlineMs: number;
}

const timed = ['disconnect', 'offline', 'back', 'backAfter'] as const;
const atLeast = ['disconnectAtLeast', 'offlineAtLeast', 'backAtLeast', 'backAfterAtLeast'] as const;

export type Restart = ReturnType<typeof followRestart>;

/**
 * Follows one worker's clients through a restart: when each is first cut, cut after the order, last back, and proven by
 * a delivery. Each time has a lower end without time that the rig may have added. For an absence this is its waits and
 * the least time of its attempts. For all others it is the time that the loop slept.
 */
export function followRestart(roster: Roster, { deadlineMs, ...backoff }: RestartOptions, absences?: AbsenceEvents) {
  const { clientCount, nowNs, recorder, sleptNs } = roster.context;
  const perClient = (): Float64Array => new Float64Array(clientCount);
  const perMs = (): Uint32Array => new Uint32Array(deadlineMs + 1);
  const cutNs = perClient();
  const isCutAfter = new Uint8Array(clientCount);
  const confirmedNs = perClient();
  /** Instant of the proof; 0 for a client that has none since its last cut. */
  const provenNs = perClient();
  /** Least times: order to first cut, negative before it; all absences; last return to its proof. */
  const least = { untilCut: perClient(), absent: perClient(), untilProven: perClient() };
  /** Time that the loop had slept at the last return. */
  const sleptAtReturnNs = perClient();
  const metrics = recordersOf(recorder, ...timed, ...atLeast);
  /** Clients by the whole millisecond after the order in which they were cut, and proven back. */
  const series = { cutInMs: perMs(), provenInMs: perMs() };
  const causes: Record<'cut' | 'cutAgain', Record<string, number>> = { cut: {}, cutAgain: {} };
  const counts = { cut: 0, cutAgain: 0, returns: 0 };
  let back = 0;
  let proven = 0;
  let orderNs = 0;
  /** Longest time that the loop will have slept at the order. */
  let sleptAtOrderNs = 0;

  const wasCut = (client: number): boolean => (cutNs[client] as number) > 0;
  const isProven = (client: number): boolean => (provenNs[client] as number) > 0;

  const countAt = (name: 'cutInMs' | 'provenInMs', afterNs: number): void => {
    series[name][Math.min(deadlineMs, Math.floor(afterNs / 1e6))]!++;
  };

  const returning = planReturns(roster, backoff, {
    ...(absences && { absences }),
    cut(client, cause, atNs) {
      const isAgain = wasCut(client);
      const name = isAgain ? 'cutAgain' : 'cut';
      returning.timeAbsence(client, atNs);
      counts[name]++;
      causes[name][cause] = (causes[name][cause] ?? 0) + 1;
      if (isAgain) back--;
      if (isProven(client)) proven--;
      provenNs[client] = 0;
      roster.timeline.count(`${isAgain ? 'cut again' : 'cut'} ${cause}`, atNs);
      // The order did not cause a cut before it, so `disconnect` leaves that out.
      const afterNs = atNs - orderNs;
      const leastNs = afterNs < 0 ? afterNs : Math.max(0, sleptNs() - sleptAtOrderNs);
      if (!isAgain) {
        cutNs[client] = atNs;
        least.untilCut[client] = leastNs;
      }
      if (afterNs < 0 || isCutAfter[client] === 1) return;
      isCutAfter[client] = 1;
      metrics.disconnect.record(afterNs / 1000);
      metrics.disconnectAtLeast.record(leastNs / 1000);
      countAt('cutInMs', afterNs);
    },
    back(client, atNs, absenceLeastNs) {
      counts.returns++;
      back++;
      confirmedNs[client] = atNs;
      sleptAtReturnNs[client] = sleptNs();
      least.absent[client] = (least.absent[client] as number) + absenceLeastNs;
    },
  });

  /** Notes the time that the loop slept. The closer to the order, the narrower the interval of `disconnect`. */
  const noteSlept = (): void => {
    sleptAtOrderNs = Math.min(sleptAtOrderNs, sleptNs() + Math.max(0, orderNs - nowNs()));
  };

  const ordered = (atNs: number): void => {
    orderNs = atNs;
    sleptAtOrderNs = Number.POSITIVE_INFINITY;
    noteSlept();
  };

  /** Returns true if a client was cut and has had no delivery since. */
  const isSilent = (client: number): boolean => wasCut(client) && !isProven(client);

  const recordBack = (client: number): void => {
    metrics.offline.record(((confirmedNs[client] as number) - (cutNs[client] as number)) / 1000);
    metrics.offlineAtLeast.record((least.absent[client] as number) / 1000);
  };

  const recordProven = (client: number): void => {
    const atNs = provenNs[client] as number;
    const backLeastNs = (least.absent[client] as number) + (least.untilProven[client] as number);
    metrics.back.record((atNs - (cutNs[client] as number)) / 1000);
    metrics.backAtLeast.record(backLeastNs / 1000);
    // A client that was cut before the order can be proven back before it, too.
    const afterNs = Math.max(0, atNs - orderNs);
    metrics.backAfter.record(afterNs / 1000);
    metrics.backAfterAtLeast.record(Math.max(0, (least.untilCut[client] as number) + backLeastNs) / 1000);
    countAt('provenInMs', afterNs);
  };

  return {
    ...{ returning, ordered, isSilent },
    /** Follows the clients that are there. The order is infinite if `ordered` sets it later. */
    begin(atNs: number): void {
      returning.begin();
      ordered(atNs);
    },
    tick(): void {
      noteSlept();
      returning.tick();
    },
    get cuts() {
      return counts.cut + counts.cutAgain;
    },
    get isComplete() {
      return proven === returning.members;
    },
    /** Returns live figures. `subscribers` are there, uncut or back. */
    progress: (): Record<string, number> => ({ subscribers: roster.there, cut: counts.cut, back, proven }),
    /** Takes a delivery after a client's last return, by the deadline, as its proof. Hot path: allocates nothing. */
    deliveries(batch: DeliveryBatch): void {
      if (roster.isClosed) return;
      const untilNs = orderNs + deadlineMs * 1e6;
      for (let i = 0; i < batch.count; i++) {
        const client = batch.client[i] as number;
        if (!isSilent(client) || !roster.isSubscribed(client)) continue;
        const atNs = batch.receivedAtNs[i] as number;
        if (atNs < (confirmedNs[client] as number) || atNs >= untilNs) continue;
        provenNs[client] = atNs;
        least.untilProven[client] = sleptNs() - (sleptAtReturnNs[client] as number);
        proven++;
      }
    },
    /** Reads the end from the tables, so that the ledger can find a mismatch. */
    report() {
      const end = { neverCut: 0, cutBefore: 0, proven: 0, backUnproven: 0 };
      for (let client = 0; client < clientCount; client++) {
        if (!returning.isMember(client)) continue;
        if (!wasCut(client)) end.neverCut++;
        else if (isCutAfter[client] === 0) end.cutBefore++;
        if (!wasCut(client) || !roster.is(client, clientState.subscribed)) continue;
        recordBack(client);
        if (isProven(client)) {
          end.proven++;
          recordProven(client);
        } else end.backUnproven++;
      }
      const { counts: returned, failures, notBack, samples } = returning.report();
      return {
        counts: { ...counts, ...returned, ...end, opened: returning.members },
        causes: { ...causes, attempt: failures, notBack },
        series,
        samples: finished(metrics),
        /** Times of every absence, and the waits. */
        absences: samples,
      };
    },
  };
}
