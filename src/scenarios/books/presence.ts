import type { DeliveryBatch } from '../../protocols/protocol.js';
import { startSkewNs } from '../roster/visits.js';
import type { RoleContext } from '../scenario.js';
import { dueAtNs } from '../traffic/schedule.js';

/** A broadcast that others received this shortly before a client left counts as sent while it was away. */
const underWayNs = 50e6;
const mostWindows = 256;
const never = Number.POSITIVE_INFINITY;

/** Describes when clients that are cut off and come back were there. */
export type Presence = Pick<ReturnType<typeof presenceOf>, 'isReplay' | 'cameLive' | 'wasAway'>;

type PresenceContext = Pick<RoleContext<{ ratePerSecond: number }>, 'board' | 'slice' | 'options'>;

/** Records when the clients of a worker were there, and when broadcasts were sent. */
export function presenceOf({ board, options, slice }: PresenceContext, clients: number) {
  /** When each client was away: begins and ends in turn. The last one grows to hold what is beyond the most. */
  const windowsOf: number[][] = Array.from({ length: clients }, () => []);
  /** Start of the attempt that opened each client's connection, as live frames may come before the confirmation. */
  const liveSinceNs = new Float64Array(clients);
  const intendedNs = new Float64Array(board.size);
  /** Instants when each broadcast first and last reached a client of this worker live; 0 before it did. */
  const firstLiveNs = new Float64Array(board.size);
  const lastLiveNs = new Float64Array(board.size);
  /** Per shard, the longest time that its broadcasts arrived before they were due here: it may have started earlier. */
  const aheadNs = new Float64Array(slice.of).fill(Number.NEGATIVE_INFINITY);
  /** The shortest delivery time of this shard's own broadcasts. */
  let shortestNs = never;
  const isOwn = (sequence: number): boolean => sequence % slice.of === slice.index;

  /** Returns how much earlier another shard may have started, if its deliveries took no less than our own. */
  const headStartNs = (shard: number): number =>
    Math.max(0, (aheadNs[shard] as number) + (Number.isFinite(shortestNs) ? shortestNs : 0));

  const learn = (sequence: number, firstNs: number): void => {
    const shard = sequence % slice.of;
    if (isOwn(sequence)) shortestNs = Math.min(shortestNs, Math.max(0, firstNs - (board.sentAtNs[sequence] as number)));
    else aheadNs[shard] = Math.max(aheadNs[shard] as number, (intendedNs[sequence] as number) - firstNs);
  };

  return {
    begin(startAtNs: number): void {
      for (let sequence = 0; sequence < board.size; sequence++)
        intendedNs[sequence] = startAtNs + dueAtNs(sequence, options.ratePerSecond);
    },
    /** Begins an absence. A busy machine may not have read frames that came after `readNs` before the client left. */
    left(client: number, atNs: number, readNs = atNs): void {
      const windows = windowsOf[client] as number[];
      if (windows.length < 2 * mostWindows) windows.push(Math.min(atNs, readNs + underWayNs), never);
      else windows[windows.length - 1] = never;
    },
    returning(client: number, sinceNs: number): void {
      liveSinceNs[client] = sinceNs;
    },
    back(client: number, atNs: number): void {
      const windows = windowsOf[client] as number[];
      if (windows.length > 0) windows[windows.length - 1] = atNs;
    },
    /** Returns true if the target took the broadcast before the client began its last return. Allocates nothing. */
    isReplay(client: number, sequence: number): boolean {
      const sinceNs = liveSinceNs[client] as number;
      if (isOwn(sequence)) {
        // A busy target may take a broadcast after the client subscribed: only an answered one is surely a replay.
        const ackAtNs = board.ackAtNs[sequence] as number;
        return ackAtNs > 0 && ackAtNs < sinceNs;
      }
      // The stamps of other shards are not here. What others here received live before an instant was sent before it.
      const firstNs = firstLiveNs[sequence] as number;
      return firstNs > 0 ? firstNs < sinceNs : (intendedNs[sequence] as number) + startSkewNs < sinceNs;
    },
    /** Notes a live delivery of the broadcast: number `index` of the batch. Allocates nothing. */
    cameLive(sequence: number, batch: DeliveryBatch, index: number): void {
      const receivedAtNs = batch.receivedAtNs[index] as number;
      if (firstLiveNs[sequence] === 0) {
        firstLiveNs[sequence] = receivedAtNs;
        learn(sequence, receivedAtNs);
      }
      lastLiveNs[sequence] = receivedAtNs;
    },
    /** Returns true if the client was away between the broadcast's send and its answer or last live delivery here. */
    wasAway(client: number, sequence: number): boolean {
      const stampNs = isOwn(sequence) ? (board.sentAtNs[sequence] as number) : 0;
      const sentNs = stampNs > 0 ? stampNs : (intendedNs[sequence] as number);
      const fromNs = stampNs > 0 ? stampNs : sentNs - headStartNs(sequence % slice.of);
      const answeredNs = stampNs > 0 ? (board.ackAtNs[sequence] as number) : 0;
      const toNs = Math.max(sentNs, answeredNs, lastLiveNs[sequence] as number) + underWayNs;
      const windows = windowsOf[client] as number[];
      return windows.some((beginNs, at) => at % 2 === 0 && beginNs <= toNs && (windows[at + 1] as number) >= fromNs);
    },
  };
}
