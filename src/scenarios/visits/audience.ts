import { sumCounts } from '../../measure/samples/sample-sum.js';
import { dueAtNs } from '../pace.js';
import type { AudienceContext, RoleReport } from '../scenario.js';
import type { Visitors } from './visitors.js';

/** How far apart shards may start: each knows the others' schedule by its own start alone. */
const startSkewNs = 500e6;

type AttendanceContext = Pick<
  AudienceContext<{ ratePerSecond: number }>,
  'board' | 'slice' | 'options' | 'clientCount'
>;

/**
 * Which broadcasts are owed to visitors: those sent between the confirmed subscription and the planned end of the
 * visit. Both are fixed when the visit begins, so a broadcast is owed or not whatever becomes of it.
 */
export class Attendance {
  readonly #context: AttendanceContext;
  readonly #first: number;
  readonly #fromNs: Float64Array;
  readonly #toNs: Float64Array;
  #startAtNs = 0;

  /** The clients from number `first` on are visitors; all before them are owed everything. */
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

  /** The visitor's subscription was confirmed at `fromNs`; it is there until `toNs`. */
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
    // Another shard's stamps are not on this board: only what it sent within the visit for certain is owed.
    const intendedNs = this.#startAtNs + dueAtNs(sequence, options.ratePerSecond);
    return fromNs + startSkewNs <= intendedNs && intendedNs <= toNs - startSkewNs;
  }
}

/** An audience's live figures with those of its visitors. */
export function progressWith(progress: Record<string, number>, { there }: Visitors): Record<string, number> {
  return { ...progress, subscribers: (progress.subscribers ?? 0) + there, visitors: there };
}

/** An audience's report with what became of its visitors. */
export function reportWith({ counts, causes, samples, ...rest }: RoleReport, visitors: Visitors): RoleReport {
  const visits = visitors.report();
  return {
    ...rest,
    counts: { ...counts, ...visits.counts },
    causes: {
      ...causes,
      arrive: visits.causes.arrive,
      close: sumCounts([causes.close ?? {}, visits.causes.close]),
      visitCut: visits.causes.close,
    },
    samples: { ...samples, ...visits.samples },
  };
}
