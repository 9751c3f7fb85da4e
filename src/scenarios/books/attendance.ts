import { plannedNs } from '../pace.js';
import type { AudienceContext } from '../scenario.js';

/**
 * The largest difference between the starts of shards. Each shard knows the schedule of the others only by its own
 * start.
 */
const startSkewNs = 500e6;

type AttendanceContext = Pick<
  AudienceContext<{ ratePerSecond: number }>,
  'board' | 'slice' | 'options' | 'clientCount' | 'dueMs'
>;

/**
 * Decides which broadcasts are owed to visitors: those sent between the confirmed subscription and the planned end of
 * the visit. Both are fixed when the visit begins, so the later course of the visit changes nothing.
 */
export class Attendance {
  readonly #context: AttendanceContext;
  readonly #first: number;
  readonly #fromNs: Float64Array;
  readonly #toNs: Float64Array;
  #startAtNs = 0;

  /** Clients from number `first` on are visitors. Every broadcast is owed to those before them. */
  constructor(context: AttendanceContext, first: number) {
    const visitors = context.clientCount - first;
    this.#context = context;
    this.#first = first;
    this.#fromNs = new Float64Array(visitors).fill(Number.POSITIVE_INFINITY);
    this.#toNs = new Float64Array(visitors);
  }

  begin(startAtNs: number): void {
    this.#startAtNs = startAtNs;
  }

  /** Notes a visitor whose subscription was confirmed at `fromNs`, and that is there until `toNs`. */
  admit(client: number, fromNs: number, toNs: number): void {
    this.#fromNs[client - this.#first] = fromNs;
    this.#toNs[client - this.#first] = toNs;
  }

  /** Allocates nothing. */
  isOwed(client: number, sequence: number): boolean {
    if (client < this.#first) return true;
    const fromNs = this.#fromNs[client - this.#first] as number;
    const toNs = this.#toNs[client - this.#first] as number;
    const { board, slice, options } = this.#context;
    if (sequence % slice.of === slice.index) {
      const sentAtNs = board.sentAtNs[sequence] as number;
      return sentAtNs > 0 && fromNs <= sentAtNs && sentAtNs <= toNs;
    }
    // The stamps of another shard are not in this table. So only its broadcasts that were surely sent within the visit
    // are owed.
    const intendedNs = this.#startAtNs + plannedNs(this.#context, sequence, options.ratePerSecond);
    return fromNs + startSkewNs <= intendedNs && intendedNs <= toNs - startSkewNs;
  }
}
