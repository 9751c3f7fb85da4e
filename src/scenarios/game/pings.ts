import type { DeliveryBatch } from '../../protocols/protocol.js';
import { atLeastUs } from '../roles/delivery-times.js';
import type { AudienceContext } from '../scenario.js';
import { StepTimes } from '../steps/times.js';
import type { Hundreds } from './hundreds.js';
import { firstPing } from './seats.js';

/** So many pings of a client can be under way; an older one stays unanswered. */
const mostUnderWay = 128;

type PingsShape = Pick<AudienceContext<never>, 'clientCount' | 'recorder'> & {
  hundreds: Hundreds;
  /** When what it sent had left, where that was later; 0 while it is unknown. */
  leftLaterAtNs(client: number): number;
};

/** The pings of one worker’s players, each by the hundred of clients in which it was sent. */
export class Pings {
  readonly #shape: PingsShape;
  readonly #sentBy: Uint32Array;
  /** A ring per client; 0 where the ping was answered. */
  readonly #sentAtNs: Float64Array;
  readonly #writtenAtNs: Float64Array;
  readonly #times: StepTimes;
  readonly #least: StepTimes;
  /** By hundred. */
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

  /** When the last answer came; 0 before the first. */
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
