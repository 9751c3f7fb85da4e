import { partOfMetric } from '../../../measure/metric-names.js';
import type { MarkTable } from '../../../measure/samples/mark-table.js';
import type { ArrivalStamps, Recorder } from '../../../measure/samples/recorder.js';
import type { Samples } from '../../../measure/samples/samples.js';
import { DeliveryTimes } from '../deliveries.js';
import type { BookHooks, Family, Slices } from './declarations.js';
import { type Memberships, reach } from './judge.js';

/** Arrivals that wait for the stamps of their send, or for the join of their receiver. */
const mostWaiting = 16_384;

interface MarkTimesShape extends Pick<BookHooks, 'timed'> {
  table: MarkTable;
  memberships: Memberships;
  slices: Slices;
  recorder(): Recorder;
}

/** Times deliveries and answers of one worker whose sends are in the table. */
export class MarkTimes {
  readonly #table: MarkTable;
  readonly #memberships: Memberships;
  readonly #slices: Slices;
  readonly #recorder: () => Recorder;
  readonly #onTimed: BookHooks['timed'] | undefined;
  readonly #families: Record<Family, DeliveryTimes>;
  /** By index of the name. The one of sends without a name is never made. */
  readonly #named: Record<Family, (Recorder | undefined)[]> = { delivery: [], answer: [] };
  /** Start of the load; the slices count from it. */
  readonly #startAtNs = new Float64Array(1);
  readonly #waiting = {
    client: new Int32Array(mostWaiting),
    at: new Int32Array(mostWaiting),
    receivedAtNs: new Float64Array(mostWaiting),
    notBeforeNs: new Float64Array(mostWaiting),
  };
  readonly #came: Uint32Array;
  #waits = 0;
  #timed = 0;
  #clockFaults = 0;

  constructor({ table, memberships, slices, recorder, timed }: MarkTimesShape) {
    this.#table = table;
    this.#memberships = memberships;
    this.#slices = slices;
    this.#recorder = recorder;
    this.#onTimed = timed;
    this.#came = new Uint32Array(slices.count);
    this.#families = {
      delivery: new DeliveryTimes(table, slices.count, recorder, 'delivery'),
      answer: new DeliveryTimes(table, slices.count, recorder, 'answer'),
    };
  }

  startAt(startAtNs: number): void {
    this.#startAtNs[0] = startAtNs;
  }

  binsOf(family: Family): Uint32Array {
    return this.#families[family].bins;
  }

  /** Times the delivery of a send, or lets it wait for what is not known yet. Hot path: allocates nothing. */
  delivery(client: number, at: number, batch: ArrivalStamps, index: number): void {
    if (!this.#timeDelivery(client, at, batch, index)) this.#wait(client, at, batch, index);
  }

  /** Times the answer to a send. The sender has stamped it before, in the same worker. */
  answer(at: number, batch: ArrivalStamps, index: number): void {
    this.#record('answer', at, batch, index);
  }

  #timeDelivery(client: number, at: number, batch: ArrivalStamps, index: number): boolean {
    const table = this.#table;
    // Another worker may learn that its send has left after this one got it.
    if (table.sentAtNs[at] === 0 || this.#memberships.reachOf(client, table, at) < reach.maybe) return false;
    this.#memberships.took(batch.receivedAtNs, index, table, at);
    if (this.#record('delivery', at, batch, index)) this.#timed++;
    return true;
  }

  #record(family: Family, at: number, batch: ArrivalStamps, index: number): boolean {
    const unit = this.unitOf(at);
    if (!this.#families[family].record(at, unit, batch, index)) {
      if (this.#table.sentAtNs[at] !== 0) this.#clockFaults++;
      return false;
    }
    this.#came[unit]!++;
    this.#onTimed?.(family, at, batch, index);
    const name = this.#table.name[at] as number;
    if (name === 0) return true;
    const named = this.#named[family];
    named[name] ??= this.#recorder();
    named[name].record(((batch.receivedAtNs[index] as number) - (this.#table.sentAtNs[at] as number)) / 1000);
    return true;
  }

  get units(): number {
    return this.#slices.count;
  }

  unitOf(at: number): number {
    const { count, everyNs = 1, beginNs } = this.#slices;
    const afterNs = (this.#table.intendedAtNs[at] as number) - (this.#startAtNs[0] as number);
    const slice = beginNs ? lastBegun(beginNs, afterNs) : Math.floor(afterNs / everyNs);
    return Math.min(count - 1, Math.max(0, slice));
  }

  #wait(client: number, at: number, batch: ArrivalStamps, index: number): void {
    if (this.#waits === mostWaiting) this.#settle();
    const waiting = this.#waiting;
    const last = this.#waits++;
    waiting.client[last] = client;
    waiting.at[last] = at;
    waiting.receivedAtNs[last] = batch.receivedAtNs[index] as number;
    waiting.notBeforeNs[last] = batch.notBeforeNs[index] as number;
  }

  /** Times what waited. What still lacks a send or a member stays untimed. */
  #settle(): void {
    const { client, at } = this.#waiting;
    for (let n = 0; n < this.#waits; n++) this.#timeDelivery(client[n] as number, at[n] as number, this.#waiting, n);
    this.#waits = 0;
  }

  report() {
    this.#settle();
    const { delivery, answer } = this.#families;
    const [deliveries, answers] = [delivery.report(), answer.report()];
    const named: Record<string, Samples> = {};
    for (const family of ['delivery', 'answer'] as const)
      this.#named[family].forEach((recorder, index) => {
        if (recorder) named[partOfMetric(family, this.#table.nameOf(index))] = recorder.finish();
      });
    return {
      timed: this.#timed,
      clockFaults: this.#clockFaults,
      samples: { ...deliveries.samples, ...answers.samples, ...named },
      series: { ...deliveries.series, ...answers.series, came: this.#came },
    };
  }
}

/** Returns the index of the last slice that begins at `afterNs` or before; -1 if there is none. Allocates nothing. */
function lastBegun(beginNs: Float64Array, afterNs: number): number {
  let [low, high] = [0, beginNs.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((beginNs[middle] as number) <= afterNs) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
