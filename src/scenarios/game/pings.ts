import type { DeliveryBatch } from '../../protocols/protocol.js';
import { atLeastUs } from '../books/times.js';
import { lengthMs, stagesOf, visitsOf } from '../roster/stages.js';
import type { AudienceContext } from '../scenario.js';
import { StepTimes } from '../steps/times.js';
import { firstPing } from './players.js';

/** Assigns instants of a run to buckets of 100 clients, by the plan alone. */
export class PlayerBuckets {
  readonly count: number;
  readonly #lengthMs: number;
  readonly #arrivalsMs: readonly number[];
  #startAtNs = 0;

  constructor(stages: string) {
    this.#lengthMs = lengthMs(stagesOf(stages));
    this.#arrivalsMs = visitsOf(stagesOf(stages)).map(({ fromMs }) => fromMs);
    this.count = Math.ceil(this.#arrivalsMs.length / 100);
  }

  begin(startAtNs: number): void {
    this.#startAtNs = startAtNs;
  }

  /** Returns when the clients of a bucket, counted from 0, arrive: until those of the next one do, or until the end. */
  spanMs(hundred: number): [fromMs: number, toMs: number] {
    const firstMs = (of: number): number => this.#arrivalsMs[of * 100] ?? this.#lengthMs;
    return [firstMs(hundred), firstMs(hundred + 1)];
  }

  /** Returns the bucket, counted from 0, that was planned to arrive at that instant. Allocates nothing. */
  at(ns: number): number {
    const ms = (ns - this.#startAtNs) / 1e6;
    let [low, high] = [0, this.#arrivalsMs.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#arrivalsMs[middle] as number) <= ms) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, Math.ceil(low / 100) - 1);
  }
}

/** A p95 left its plateau if it is `times` the plateau in `inARow` successive buckets. */
const left = { times: 3, inARow: 2 };
const plateauHundreds = 5;
/** Least number of buckets that can show whether the plateau was left. */
export const bucketsForAnEnd = plateauHundreds + left.inARow;

export interface PingPlateau {
  /** Median p95 of the first buckets, in microseconds. */
  us: number;
  /** Number of buckets from the first with a p95 on. */
  hundreds: number;
  /** The bucket, counted from 0, that left the plateau for good; undefined if none did. */
  leftAt: number | undefined;
}

/**
 * Finds the plateau of p95s by bucket, and its end by their lower ends. Returns undefined if there are too few buckets.
 * The first buckets can have too few pings for a p95.
 */
export function pingPlateauOf(
  p95: readonly (number | null)[],
  atLeast: readonly (number | null)[],
): PingPlateau | undefined {
  const from = p95.findIndex((us) => us !== null);
  if (from < 0) return undefined;
  const first = p95.slice(from, from + plateauHundreds).filter((us) => us !== null);
  if (first.length < plateauHundreds) return undefined;
  const us = first.sort((a, b) => a - b)[Math.floor(plateauHundreds / 2)] as number;
  const isAbove = (hundred: number): boolean => {
    const least = atLeast[hundred];
    // A bucket without any answer has no figure.
    return p95[hundred] === null || (least !== null && least !== undefined && least > us * left.times);
  };
  const inARow = (hundred: number): boolean =>
    Array.from({ length: left.inARow }, (_, n) => hundred + n).every(isAbove);
  const hundreds = p95.length - from;
  const candidates = Array.from(
    { length: Math.max(0, hundreds - plateauHundreds - 1) },
    (_, n) => from + plateauHundreds + n,
  );
  return { us, hundreds, leftAt: candidates.find(inARow) };
}

/** Largest number of pings of a client under way. An older one stays unanswered. */
const mostUnderWay = 128;

type PingsShape = Pick<AudienceContext<never>, 'clientCount' | 'recorder'> & {
  hundreds: PlayerBuckets;
  /** Returns when the client's message left, if later than the send; 0 while that is unknown. */
  leftLaterAtNs(client: number): number;
};

/** Times the pings of one worker’s players, by the bucket of clients in which each was sent. */
export class PlayerPings {
  readonly #shape: PingsShape;
  readonly #sentBy: Uint32Array;
  /** A ring per client; 0 where the ping was answered. */
  readonly #sentAtNs: Float64Array;
  readonly #writtenAtNs: Float64Array;
  readonly #times: StepTimes;
  readonly #least: StepTimes;
  /** Per bucket. */
  readonly #sent: Uint32Array;
  readonly #answered: Uint32Array;
  #answeredAtNs = 0;
  #count = 0;

  constructor(shape: PingsShape) {
    const { clientCount, recorder, hundreds } = shape;
    this.#shape = shape;
    this.#sentBy = new Uint32Array(clientCount);
    this.#sentAtNs = new Float64Array(clientCount * mostUnderWay);
    this.#writtenAtNs = new Float64Array(clientCount * mostUnderWay);
    this.#times = new StepTimes('ping', recorder);
    this.#least = new StepTimes('pingAtLeast', recorder);
    this.#sent = new Uint32Array(hundreds.count);
    this.#answered = new Uint32Array(hundreds.count);
    for (let hundred = 0; hundred < hundreds.count; hundred++) {
      this.#times.begin();
      this.#least.begin();
    }
  }

  sequenceOf(client: number): number {
    return firstPing + (this.#sentBy[client] as number);
  }

  sent(client: number, sentAtNs: number, writtenAtNs: number): void {
    const number = this.#sentBy[client] as number;
    const at = client * mostUnderWay + (number % mostUnderWay);
    this.#sentAtNs[at] = sentAtNs;
    this.#writtenAtNs[at] = writtenAtNs;
    this.#sentBy[client] = number + 1;
    const hundred = this.#shape.hundreds.at(sentAtNs);
    this.#sent[hundred] = (this.#sent[hundred] as number) + 1;
    this.#count++;
  }

  get count(): number {
    return this.#count;
  }

  /** Instant of the last answer; 0 before the first. */
  get answeredAtNs(): number {
    return this.#answeredAtNs;
  }

  /** Hot path: allocates nothing. */
  take(batch: DeliveryBatch, index: number): void {
    const client = batch.client[index] as number;
    const number = (batch.sequence[index] as number) - firstPing;
    const sentBy = this.#sentBy[client] as number;
    const at = client * mostUnderWay + (number % mostUnderWay);
    const sentAtNs = this.#sentAtNs[at] as number;
    if (sentAtNs === 0 || number >= sentBy || number < sentBy - mostUnderWay) return;
    this.#sentAtNs[at] = 0;
    this.#answeredAtNs = batch.receivedAtNs[index] as number;
    const hundred = this.#shape.hundreds.at(sentAtNs);
    this.#answered[hundred] = (this.#answered[hundred] as number) + 1;
    this.#times.record(hundred, (this.#answeredAtNs - sentAtNs) / 1000);
    const writtenAtNs = (this.#writtenAtNs[at] as number) || this.#shape.leftLaterAtNs(client);
    this.#least.record(hundred, atLeastUs(batch.notBeforeNs[index] as number, writtenAtNs));
  }

  report() {
    const sum = (series: Uint32Array): number => series.reduce((total, each) => total + each, 0);
    return {
      counts: { pings: sum(this.#sent), answered: sum(this.#answered) },
      series: { pingsAt: this.#sent, answeredAt: this.#answered },
      samples: { ...this.#times.finish(), ...this.#least.finish() },
    };
  }
}
