import { type MarkTable, markKind } from '../../measure/samples/mark-table.js';
import { type ArrivalStamps, atLeastUs, type Recorder } from '../../measure/samples/recorder.js';
import type { AudienceContext } from '../scenario.js';
import { ofStep } from '../steps/loop.js';
import { lengthMs, stagesOf, visitsOf } from '../traffic/schedule.js';

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

type BucketShape = Pick<AudienceContext<unknown>, 'clientCount' | 'firstClient' | 'recorder'> & {
  buckets: PlayerBuckets;
  table: MarkTable;
};

/** Keeps figures of one worker's players by the bucket of clients in which each key or ping was sent. */
export function bucketTimes({ buckets, clientCount, firstClient, recorder, table }: BucketShape) {
  const each = (): Recorder[] => Array.from({ length: buckets.count }, recorder);
  const times: Record<'ping' | 'pingAtLeast' | 'delivery', readonly Recorder[]> = {
    ...{ ping: each(), pingAtLeast: each(), delivery: each() },
  };
  const heardAt = new Uint32Array(buckets.count);
  const answeredAt = new Uint32Array(buckets.count);
  return {
    heard(atNs: number): void {
      heardAt[buckets.at(atNs)]!++;
    },
    /** Takes an arrival with its send. Hot path: allocates nothing. */
    timed(family: 'delivery' | 'answer', row: number, batch: ArrivalStamps, index: number): void {
      const sentAtNs = table.sentAtNs[row] as number;
      const bucket = buckets.at(sentAtNs);
      const us = ((batch.receivedAtNs[index] as number) - sentAtNs) / 1000;
      if (family === 'delivery') {
        times.delivery[bucket]!.record(us);
        return;
      }
      answeredAt[bucket]!++;
      times.ping[bucket]!.record(us);
      const leastUs = atLeastUs(batch.notBeforeNs[index] as number, table.writtenAtNs[row] as number);
      times.pingAtLeast[bucket]!.record(leastUs);
    },
    report() {
      const pingsAt = new Uint32Array(buckets.count);
      let pingsUnsent = 0;
      for (let row = 0; row < table.count; row++) {
        const client = (table.sender[row] as number) - firstClient;
        const isPing = ((table.kind[row] as number) & markKind.answered) !== 0;
        if (!isPing || client < 0 || client >= clientCount) continue;
        const sentAtNs = table.sentAtNs[row] as number;
        if (sentAtNs === 0) pingsUnsent++;
        else pingsAt[buckets.at(sentAtNs)]!++;
      }
      const samples = Object.entries(times).flatMap(([metric, recorders]) =>
        recorders.map((recorder, bucket) => [ofStep(metric, bucket + 1), recorder.finish()] as const),
      );
      return {
        counts: { pingsUnsent },
        series: { pingsAt, answeredAt, heardAt },
        samples: Object.fromEntries(samples),
      };
    },
  };
}
