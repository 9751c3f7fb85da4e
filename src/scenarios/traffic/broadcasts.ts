import { hostNs } from '../../measure/rig/clock.js';
import { Blocks, blocksOf } from '../../measure/samples/blocks.js';
import { broadcastState, type Recorder } from '../../measure/samples/recorder.js';
import { shareOf } from '../../measure/share.js';
import { atLeastUs, finished, recordersOf } from '../books/times.js';
import { dueAtNs, plannedNs } from '../pace.js';
import {
  type BatchAnswer,
  isTaken,
  type PublishAnswer,
  type PublishEvents,
  type PublisherContext,
  type Role,
  type RoleReport,
  written,
} from '../scenario.js';
import { manyStreams } from '../streams.js';

/** Number of publishes at the head of the schedule, warm-up included, that show if the target takes any at all. */
export const firstPublishes = 10;

/** Returns a sentence if all first publishes failed and none was acked since. Reads the live figures of all shards. */
export function takesNone({ acked = 0, notTaken = 0 }: Readonly<Record<string, number>>): string | undefined {
  return acked === 0 && notTaken >= firstPublishes
    ? `none of the first ${firstPublishes} publishes was acked`
    : undefined;
}

export interface PublishSender {
  /** Publishes a broadcast by its number. Resolves with `written` where no answer comes. */
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

/** Describes one of several publish loops, and the broadcasts of all. */
interface Part {
  index: number;
  of: number;
  first: number;
  to: number;
}

/** Publishes every k-th broadcast of the run's schedule, late where `maxInFlight` have no answer. */
export class BroadcastPublisher implements Role {
  readonly #context: PublisherContext<BroadcastOptions>;
  readonly #way: PublishSender | BatchWay;
  /** Instant when each broadcast was published: its send or, in a batch, evenly over the target's time. */
  readonly #publishedAtNs: Float64Array;
  readonly #times: Record<'publishAck' | 'publishAckAtLeast' | 'publishLag' | 'publishInTarget', Recorder>;
  readonly #ackBlocks: Record<'publishAck' | 'publishAckAtLeast', Blocks>;
  readonly #causes: Record<string, number> = {};
  readonly #warmUpCauses: Record<string, number> = {};
  /** Includes the warm-up. `notTaken` counts those of the first publishes that got no ack. */
  readonly #live = { published: 0, acked: 0, notTaken: 0 };
  #attempted = 0;
  #withheld = 0;
  #late = 0;
  #batches = 0;

  constructor(context: PublisherContext<BroadcastOptions>, way: PublishSender | BatchWay = overHttp(context)) {
    this.#context = context;
    this.#way = way;
    this.#publishedAtNs = 'batchOf' in way ? new Float64Array(context.board.size) : context.board.sentAtNs;
    this.#times = recordersOf(context.recorder, 'publishAck', 'publishAckAtLeast', 'publishLag', 'publishInTarget');
    const blocks = (): Blocks => new Blocks(context.board.size - context.options.warmUp);
    this.#ackBlocks = { publishAck: blocks(), publishAckAtLeast: blocks() };
  }

  async stage(name: string, startAtNs: number, signal: AbortSignal): Promise<void> {
    if (name === 'publish') await this.publish(startAtNs, signal);
  }

  /** Publishes `from` to `to` on a schedule that begins with the first. Marks those never sent, so that nobody waits. */
  async publish(startAtNs: number, signal: AbortSignal, from = 0, to = this.#context.board.size): Promise<void> {
    const { board, slice, options, load } = this.#context;
    const loops = Math.min(options.publishers ?? 1, load.maxInFlight);
    const first = from + slice.index;
    const zeroNs = startAtNs - this.#dueAtNs(from);
    const parts = Array.from({ length: loops }, (_, index) => ({ index, of: loops, first, to }));
    await Promise.all(parts.map((part) => this.#loop(part, zeroNs, signal)));
    for (let sequence = first; sequence < to; sequence += slice.of)
      if (board.state[sequence] === broadcastState.unsent) board.state[sequence] = broadcastState.never;
  }

  async #loop(part: Part, startAtNs: number, signal: AbortSignal): Promise<void> {
    const { slice, options, load } = this.#context;
    const maxInFlight = shareOf(load.maxInFlight, part.index, part.of);
    const inFlight = new Set<Promise<void>>();
    let heldUntilNs = startAtNs;
    const first = part.first + part.index * slice.of;
    const stride = slice.of * part.of;
    const ratePerSecond = options.ratePerSecond / stride;
    const atOnce = 'batchOf' in this.#way ? this.#way.batchOf(ratePerSecond) : 1;
    for (let sequence = first; sequence < part.to; sequence += stride * atOnce) {
      const length = Math.min(atOnce, Math.ceil((part.to - sequence) / stride));
      const intendedAtNs = startAtNs + this.#dueAtNs(sequence);
      await this.#context.until(intendedAtNs, signal);
      if (inFlight.size >= maxInFlight) {
        await Promise.race(inFlight);
        heldUntilNs = this.#context.nowNs();
      }
      if (signal.aborted) break;
      // A publish that fell due while the bound held is late, not only the one that waited at it.
      const isLate = intendedAtNs < heldUntilNs;
      if (isLate) this.#late += length;
      const left =
        'batchOf' in this.#way
          ? this.#publishBatch(this.#way, { sequence, stride, length }, startAtNs, isLate)
          : this.#publish(this.#way, sequence, intendedAtNs, isLate);
      const publish = left.finally(() => inFlight.delete(publish));
      inFlight.add(publish);
    }
    await Promise.all(inFlight);
  }

  #dueAtNs(sequence: number): number {
    return plannedNs(this.#context, sequence, this.#context.options.ratePerSecond);
  }

  #attempt(sequence: number, intendedAtNs: number): void {
    const { board, options } = this.#context;
    this.#live.published++;
    if (sequence >= options.warmUp) this.#attempted++;
    board.intendedAtNs[sequence] = intendedAtNs;
    board.state[sequence] = broadcastState.sent;
  }

  async #publishBatch(
    way: BatchWay,
    { sequence, stride, length }: { sequence: number; stride: number; length: number },
    startAtNs: number,
    isLate: boolean,
  ): Promise<void> {
    const { ratePerSecond } = this.#context.options;
    if (!isLate) this.#left(sequence, startAtNs + this.#dueAtNs(sequence), this.#context.nowNs());
    const sequences = Array.from({ length }, (_, n) => sequence + n * stride);
    for (const each of sequences) this.#attempt(each, startAtNs + this.#dueAtNs(each));
    this.#batches++;
    const answer = await way.publishBatch(sequences, ratePerSecond / stride);
    const ackAtNs = this.#context.nowNs();
    for (const [n, each] of sequences.entries()) {
      if (typeof answer !== 'object') {
        this.#refuse(each, ackAtNs, answer);
        continue;
      }
      const beforeLast = length > 1 ? (length - 1 - n) / (length - 1) : 0;
      this.#publishedAtNs[each] = ackAtNs - beforeLast * answer.tookMs * 1e6;
      this.#ack(each, ackAtNs);
    }
  }

  /** Records the time between plan and write. It is the rig's lateness, as the bound held back no publish. */
  #left(sequence: number, intendedAtNs: number, atNs: number): void {
    if (sequence >= this.#context.options.warmUp) this.#times.publishLag.record((atNs - intendedAtNs) / 1000);
  }

  async #publish(way: PublishSender, sequence: number, intendedAtNs: number, isLate: boolean): Promise<void> {
    const { board, options } = this.#context;
    const isMeasured = sequence >= options.warmUp;
    let readableFromNs = 0;
    this.#attempt(sequence, intendedAtNs);
    const answer = await way.publish(sequence, {
      sent: () => {
        const sentAtNs = this.#context.nowNs();
        board.sentAtNs[sequence] = sentAtNs;
        if (!isLate) this.#left(sequence, intendedAtNs, sentAtNs);
      },
      written: (atNs) => {
        board.writtenAtNs[sequence] = atNs ?? this.#context.nowNs();
      },
      answered: (fromNs) => {
        readableFromNs = fromNs;
      },
      took: (us) => {
        if (isMeasured) this.#times.publishInTarget.record(us);
      },
    });
    // A broadcast without an answer has no order to break: none was sent after its answer.
    if (answer === written) return this.#ack(sequence, Number.POSITIVE_INFINITY);
    const ackAtNs = this.#context.nowNs();
    if (isTaken(answer)) {
      this.#ack(sequence, ackAtNs);
      const ackUs = (ackAtNs - (board.sentAtNs[sequence] as number)) / 1000;
      if (!isMeasured) return;
      const leastUs = atLeastUs(readableFromNs, board.writtenAtNs[sequence] as number);
      this.#times.publishAck.record(ackUs);
      this.#ackBlocks.publishAck.record(sequence - options.warmUp, ackUs);
      this.#times.publishAckAtLeast.record(leastUs);
      this.#ackBlocks.publishAckAtLeast.record(sequence - options.warmUp, leastUs);
    } else this.#refuse(sequence, ackAtNs, answer);
  }

  #ack(sequence: number, ackAtNs: number): void {
    const { board } = this.#context;
    this.#live.acked++;
    board.ackAtNs[sequence] = ackAtNs;
    board.state[sequence] = broadcastState.acked;
  }

  #refuse(sequence: number, atNs: number, answer: number | string): void {
    const { board, options } = this.#context;
    board.ackAtNs[sequence] = atNs;
    board.state[sequence] = typeof answer === 'number' ? broadcastState.refused : broadcastState.failed;
    const cause = typeof answer === 'number' ? `http-status:${answer}` : answer;
    if (ownCauses.has(cause) && sequence >= options.warmUp) this.#withheld++;
    const causes = sequence < options.warmUp ? this.#warmUpCauses : this.#causes;
    causes[cause] = (causes[cause] ?? 0) + 1;
    const isOurs = cause === 'ours' || ownCauses.has(cause);
    if (sequence < firstPublishes && !isOurs) this.#live.notTaken++;
  }

  progress(): Record<string, number> {
    const { published, acked, notTaken } = this.#live;
    const isForSome = this.#context.streams && { [manyStreams]: 1 };
    return { published, acked, ...(notTaken > 0 && { notTaken }), ...isForSome };
  }

  /** `sentAtUs` is in microseconds of CLOCK_MONOTONIC, modulo 2^32. */
  report(): RoleReport {
    const { board, options } = this.#context;
    const measured = board.state.subarray(options.warmUp);
    const { acked, refused, failed, sent } = broadcastState;
    const where = (...states: readonly number[]): Uint32Array =>
      Uint32Array.from(measured, (each) => (states.includes(each) ? 1 : 0));
    // A run that ends between its stages does not wait for answers.
    const unanswered = measured.reduce((sum, each) => sum + (each === sent ? 1 : 0), 0);
    if (unanswered > 0) this.#causes.ours = (this.#causes.ours ?? 0) + unanswered;
    return {
      counts: {
        attempted: this.#attempted,
        latePublishes: this.#late,
        ...('batchOf' in this.#way && { batches: this.#batches }),
        ...this.#rates(),
      },
      causes: { publish: this.#causes, warmUp: this.#warmUpCauses },
      samples: finished(this.#times),
      timeline: {},
      series: {
        acked: where(acked),
        refused: where(refused),
        failed: where(failed, sent),
        sentAtUs: Uint32Array.from(board.sentAtNs.subarray(options.warmUp), (ns) => (ns > 0 ? hostNs(ns) / 1000 : 0)),
        [blocksOf('publishAck')]: this.#ackBlocks.publishAck.finish(),
        [blocksOf('publishAckAtLeast')]: this.#ackBlocks.publishAckAtLeast.finish(),
      },
    };
  }

  /** Returns measured publishes per second. Each covers one interval of the shard's schedule, so shards add up. */
  #rates(): Record<string, number> {
    if (this.#attempted === 0) return {};
    const { board, slice, options } = this.#context;
    const intended = this.#measured(board.intendedAtNs);
    const published = this.#measured(this.#publishedAtNs);
    const intervalNs = dueAtNs(slice.of, options.ratePerSecond);
    const lastedNs = Math.max(intended.spanNs, published.spanNs) + intervalNs;
    const inAll = (events: number): number => (events * 1e9) / lastedNs;
    return {
      offeredPerSecond: (intended.count * 1e9) / (intended.spanNs + intervalNs),
      achievedPerSecond: inAll(published.count),
      unmetPerSecond: inAll(intended.count - published.count - this.#withheld),
      ...(this.#withheld > 0 && { withheld: this.#withheld }),
    };
  }

  /** Returns count and span of the instants of measured broadcasts. Loops may reach them out of order. */
  #measured(column: Float64Array): { count: number; spanNs: number } {
    const instants = column.subarray(this.#context.options.warmUp).filter((ns) => ns > 0);
    const firstNs = instants.reduce((least, each) => Math.min(least, each), Number.POSITIVE_INFINITY);
    const lastNs = instants.reduce((most, each) => Math.max(most, each), 0);
    return { count: instants.length, spanNs: Math.max(0, lastNs - firstNs) };
  }
}

function overHttp(context: PublisherContext<BroadcastOptions>): PublishSender {
  const { streams, payload, publish } = context;
  return { publish: (sequence, events) => publish(payload(sequence), events, streams?.nameFor(sequence)) };
}
