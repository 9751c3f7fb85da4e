import { hostNs } from '../../measure/rig/clock.js';
import { Blocks, blocksOf } from '../../measure/samples/blocks.js';
import { atLeastUs, broadcastState, finished, recordersOf } from '../../measure/samples/recorder.js';
import { shareOf } from '../../measure/share.js';
import {
  type BatchAnswer,
  isTaken,
  type PublishAnswer,
  type PublishEvents,
  type PublisherContext,
  type RoleReport,
  written,
} from '../scenario.js';
import { dueAtNs, plannedNs } from './schedule.js';
import { manyStreams } from './streams.js';

/** Number of publishes at the head of the schedule, warm-up included, that show if the target takes any at all. */
export const firstPublishes = 10;

/** Returns a sentence if all first publishes failed and none was acked since. Reads the live figures of all shards. */
export function takesNone({ acked = 0, notTaken = 0 }: Readonly<Record<string, number>>): string | undefined {
  return acked === 0 && notTaken >= firstPublishes
    ? `none of the first ${firstPublishes} publishes was acked`
    : undefined;
}

export interface PublishSender {
  publish(sequence: number, events: PublishEvents): Promise<PublishAnswer>;
}

/** Lets the target publish broadcasts by itself in batches. They have no stamped send and no ack time. */
export interface BatchWay {
  /** Returns the size of the largest batch of a loop with that rate. A batch leaves when its first broadcast is due. */
  batchOf(ratePerSecond: number): number;
  publishBatch(sequences: readonly number[], ratePerSecond: number): Promise<BatchAnswer>;
}

/** Causes of the rig itself. The publishes they prevent were offered all the same. */
const ownCauses = new Set(['ports-exhausted', 'descriptors-exhausted']);

/** Options of a scenario that publishes. */
export interface BroadcastOptions {
  ratePerSecond: number;
  warmUp: number;
  /** Publish loops of one shard, one by default, at most `maxInFlight`. Each has its share of `maxInFlight`. */
  publishers?: number;
}

/** Publishes every k-th broadcast of the run's schedule, late where `maxInFlight` have no answer. */
export function publishBroadcasts(
  context: PublisherContext<BroadcastOptions>,
  way: PublishSender | BatchWay = overHttp(context),
) {
  const { board, load, nowNs, options, recorder, slice } = context;
  const { ratePerSecond, warmUp } = options;
  const isBatched = 'batchOf' in way;
  /** Instant when each broadcast was published: its send or, in a batch, evenly over the target's time. */
  const publishedAtNs = isBatched ? new Float64Array(board.size) : board.sentAtNs;
  const times = recordersOf(recorder, 'publishAck', 'publishAckAtLeast', 'publishLag', 'publishInTarget');
  const blocks = {
    publishAck: new Blocks(board.size - warmUp),
    publishAckAtLeast: new Blocks(board.size - warmUp),
  };
  const causes: Record<'publish' | 'warmUp', Record<string, number>> = { publish: {}, warmUp: {} };
  /** Includes the warm-up. `notTaken` counts those of the first publishes that got no ack. */
  const live = { published: 0, acked: 0, notTaken: 0 };
  let [attempted, withheld, late, batches] = [0, 0, 0, 0];
  const dueAfterNs = (sequence: number): number => plannedNs(context, sequence, ratePerSecond);

  const attempt = (sequence: number, intendedAtNs: number): void => {
    live.published++;
    if (sequence >= warmUp) attempted++;
    board.intendedAtNs[sequence] = intendedAtNs;
    board.state[sequence] = broadcastState.sent;
  };

  /** Records the time between plan and write. It is the rig's lateness, as the bound held back no publish. */
  const left = (sequence: number, intendedAtNs: number, atNs: number): void => {
    if (sequence >= warmUp) times.publishLag.record((atNs - intendedAtNs) / 1000);
  };

  const ack = (sequence: number, ackAtNs: number): void => {
    live.acked++;
    board.ackAtNs[sequence] = ackAtNs;
    board.state[sequence] = broadcastState.acked;
  };

  const refuse = (sequence: number, atNs: number, answer: number | string): void => {
    const isStatus = typeof answer === 'number';
    const cause = isStatus ? `http-status:${answer}` : answer;
    board.ackAtNs[sequence] = atNs;
    board.state[sequence] = isStatus ? broadcastState.refused : broadcastState.failed;
    if (ownCauses.has(cause) && sequence >= warmUp) withheld++;
    const counted = causes[sequence < warmUp ? 'warmUp' : 'publish'];
    counted[cause] = (counted[cause] ?? 0) + 1;
    if (sequence < firstPublishes && cause !== 'ours' && !ownCauses.has(cause)) live.notTaken++;
  };

  const publishBatch = async (way: BatchWay, sequences: readonly number[], startAtNs: number, each: number) => {
    for (const sequence of sequences) attempt(sequence, startAtNs + dueAfterNs(sequence));
    batches++;
    const answer = await way.publishBatch(sequences, each);
    const ackAtNs = nowNs();
    const last = sequences.length - 1;
    for (const [n, sequence] of sequences.entries()) {
      if (typeof answer !== 'object') {
        refuse(sequence, ackAtNs, answer);
        continue;
      }
      publishedAtNs[sequence] = ackAtNs - (last > 0 ? (last - n) / last : 0) * answer.tookMs * 1e6;
      ack(sequence, ackAtNs);
    }
  };

  const publishOne = async (way: PublishSender, sequence: number, intendedAtNs: number, isLate: boolean) => {
    const isMeasured = sequence >= warmUp;
    let readableFromNs = 0;
    attempt(sequence, intendedAtNs);
    const answer = await way.publish(sequence, {
      sent() {
        const sentAtNs = nowNs();
        board.sentAtNs[sequence] = sentAtNs;
        if (!isLate) left(sequence, intendedAtNs, sentAtNs);
      },
      written(atNs) {
        board.writtenAtNs[sequence] = atNs ?? nowNs();
      },
      answered(fromNs) {
        readableFromNs = fromNs;
      },
      took(us) {
        if (isMeasured) times.publishInTarget.record(us);
      },
    });
    // A broadcast without an answer has no order to break: none was sent after its answer.
    if (answer === written) return ack(sequence, Number.POSITIVE_INFINITY);
    const ackAtNs = nowNs();
    if (!isTaken(answer)) return refuse(sequence, ackAtNs, answer);
    ack(sequence, ackAtNs);
    if (!isMeasured) return;
    const ackUs = (ackAtNs - (board.sentAtNs[sequence] as number)) / 1000;
    const leastUs = atLeastUs(readableFromNs, board.writtenAtNs[sequence] as number);
    times.publishAck.record(ackUs);
    blocks.publishAck.record(sequence - warmUp, ackUs);
    times.publishAckAtLeast.record(leastUs);
    blocks.publishAckAtLeast.record(sequence - warmUp, leastUs);
  };

  /** One of several publish loops. */
  const loop = async (index: number, of: number, from: number, to: number, startAtNs: number, signal: AbortSignal) => {
    const maxInFlight = shareOf(load.maxInFlight, index, of);
    const inFlight = new Set<Promise<void>>();
    let heldUntilNs = startAtNs;
    const stride = slice.of * of;
    const atOnce = 'batchOf' in way ? way.batchOf(ratePerSecond / stride) : 1;
    for (let sequence = from + index * slice.of; sequence < to; sequence += stride * atOnce) {
      const length = Math.min(atOnce, Math.ceil((to - sequence) / stride));
      const intendedAtNs = startAtNs + dueAfterNs(sequence);
      await context.until(intendedAtNs, signal);
      if (inFlight.size >= maxInFlight) {
        await Promise.race(inFlight);
        heldUntilNs = nowNs();
      }
      if (signal.aborted) break;
      // A publish that fell due while the bound held is late, not only the one that waited at it.
      const isLate = intendedAtNs < heldUntilNs;
      if (isLate) late += length;
      if (isBatched && !isLate) left(sequence, intendedAtNs, nowNs());
      const numbers = (first: number) => Array.from({ length }, (_, n) => first + n * stride);
      const underWay =
        'batchOf' in way
          ? publishBatch(way, numbers(sequence), startAtNs, ratePerSecond / stride)
          : publishOne(way, sequence, intendedAtNs, isLate);
      const publish = underWay.finally(() => inFlight.delete(publish));
      inFlight.add(publish);
    }
    await Promise.all(inFlight);
  };

  /** Publishes `from` to `to` on a schedule that begins with the first, and marks those never sent. */
  const publish = async (startAtNs: number, signal: AbortSignal, from = 0, to = board.size): Promise<void> => {
    const loops = Math.min(options.publishers ?? 1, load.maxInFlight);
    const first = from + slice.index;
    const zeroNs = startAtNs - dueAfterNs(from);
    await Promise.all(Array.from({ length: loops }, (_, n) => loop(n, loops, first, to, zeroNs, signal)));
    for (let sequence = first; sequence < to; sequence += slice.of)
      if (board.state[sequence] === broadcastState.unsent) board.state[sequence] = broadcastState.never;
  };

  /** Returns count and span of the instants of measured broadcasts. Loops may reach them out of order. */
  const measuredIn = (column: Float64Array): { count: number; spanNs: number } => {
    const instants = column.subarray(warmUp).filter((ns) => ns > 0);
    const firstNs = instants.reduce((least, each) => Math.min(least, each), Number.POSITIVE_INFINITY);
    const lastNs = instants.reduce((most, each) => Math.max(most, each), 0);
    return { count: instants.length, spanNs: Math.max(0, lastNs - firstNs) };
  };

  /** Returns measured publishes per second. Each covers one interval of the shard's schedule, so shards add up. */
  const rates = (): Record<string, number> => {
    if (attempted === 0) return {};
    const [intended, published] = [measuredIn(board.intendedAtNs), measuredIn(publishedAtNs)];
    const intervalNs = dueAtNs(slice.of, ratePerSecond);
    const lastedNs = Math.max(intended.spanNs, published.spanNs) + intervalNs;
    const inAll = (events: number): number => (events * 1e9) / lastedNs;
    return {
      offeredPerSecond: (intended.count * 1e9) / (intended.spanNs + intervalNs),
      achievedPerSecond: inAll(published.count),
      unmetPerSecond: inAll(intended.count - published.count - withheld),
      ...(withheld > 0 && { withheld }),
    };
  };

  return {
    publish,
    async stage(name: string, startAtNs: number, signal: AbortSignal): Promise<void> {
      if (name === 'publish') await publish(startAtNs, signal);
    },
    progress(): Record<string, number> {
      const { published, acked, notTaken } = live;
      return { published, acked, ...(notTaken > 0 && { notTaken }), ...(context.streams && { [manyStreams]: 1 }) };
    },
    /** `sentAtUs` is in microseconds of CLOCK_MONOTONIC, modulo 2^32. */
    report(): RoleReport {
      const measured = board.state.subarray(warmUp);
      const { acked, refused, failed, sent } = broadcastState;
      const where = (...states: readonly number[]): Uint32Array =>
        Uint32Array.from(measured, (each) => (states.includes(each) ? 1 : 0));
      // A run that ends between its stages does not wait for answers.
      const unanswered = measured.filter((each) => each === sent).length;
      if (unanswered > 0) causes.publish.ours = (causes.publish.ours ?? 0) + unanswered;
      return {
        counts: { attempted, latePublishes: late, ...(isBatched && { batches }), ...rates() },
        causes,
        samples: finished(times),
        timeline: {},
        series: {
          acked: where(acked),
          refused: where(refused),
          failed: where(failed, sent),
          sentAtUs: Uint32Array.from(board.sentAtNs.subarray(warmUp), (ns) => (ns > 0 ? hostNs(ns) / 1000 : 0)),
          [blocksOf('publishAck')]: blocks.publishAck.finish(),
          [blocksOf('publishAckAtLeast')]: blocks.publishAckAtLeast.finish(),
        },
      };
    },
  };
}

function overHttp(context: PublisherContext<BroadcastOptions>): PublishSender {
  const { streams, payload, publish } = context;
  return { publish: (sequence, events) => publish(payload(sequence), events, streams?.nameFor(sequence)) };
}
