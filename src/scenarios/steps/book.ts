import type { Recorder } from '../../measure/samples/recorder.js';
import type { Samples } from '../../measure/samples/samples.js';
import type { DeliveryBatch } from '../../protocols/protocol.js';
import { atLeastUs, Seen } from '../books/times.js';
import type { AudienceContext } from '../scenario.js';
import type { StepsOptions } from './options.js';
import { StepTimes } from './times.js';

const never = 0x7fff_ffff;

type BookContext = Pick<AudienceContext<StepsOptions>, 'options' | 'clientCount' | 'board' | 'recorder'>;

/**
 * Counts one worker's deliveries, timed if sent by this shard. A client should receive all of the steps that it began
 * with.
 */
export class DeliveryBook {
  readonly #seen: Seen;
  /** The first step that a client is a member of, and the first after that. */
  readonly #from: Int32Array;
  readonly #until: Int32Array;
  /** Broadcasts of the running step that each client received. */
  readonly #got: Int32Array;
  readonly #delivered: Uint32Array;
  readonly #members: Uint32Array;
  readonly #times: StepTimes;
  readonly #atLeast: Recorder;
  readonly #counts = { received: 0, duplicate: 0, late: 0, stray: 0, clockFaults: 0 };
  #step = -1;
  /** A delivery of a lower number is late. */
  #closedBelow = 0;

  constructor(private readonly context: BookContext) {
    const { clientCount, options, recorder } = context;
    const broadcasts = options.steps * options.sample;
    this.#seen = new Seen(clientCount, broadcasts);
    this.#from = new Int32Array(clientCount).fill(never);
    this.#until = new Int32Array(clientCount).fill(never);
    this.#got = new Int32Array(clientCount);
    this.#delivered = new Uint32Array(broadcasts);
    this.#members = new Uint32Array(options.steps);
    this.#times = new StepTimes('delivery', recorder);
    this.#atLeast = recorder();
  }

  /** Begins the next step. Every connected client should receive all of its broadcasts. */
  begin(isOpen: (client: number) => boolean): void {
    const step = ++this.#step;
    this.#times.begin();
    this.#got.fill(0);
    for (let client = 0; client < this.context.clientCount; client++) {
      if (isOpen(client)) {
        this.#from[client] = Math.min(this.#from[client] as number, step);
        this.#members[step] = (this.#members[step] as number) + 1;
      } else if ((this.#from[client] as number) < step) {
        this.#until[client] = Math.min(this.#until[client] as number, step);
      }
    }
  }

  get mostMembers(): number {
    return this.#members.reduce((most, each) => Math.max(most, each), 0);
  }

  get received(): number {
    return this.#counts.received;
  }

  /** Returns true if every broadcast of the running step reached every member for which `isOpen` is still true. */
  isComplete(isOpen: (client: number) => boolean): boolean {
    for (let client = 0; client < this.context.clientCount; client++) {
      if (
        (this.#got[client] as number) < this.context.options.sample &&
        this.#isMember(client, this.#step) &&
        isOpen(client)
      )
        return false;
    }
    return true;
  }

  /** Ends the drain of the running step. A delivery of it from now on counts as late, and its broadcast stays lost. */
  close(): void {
    this.#closedBelow = (this.#step + 1) * this.context.options.sample;
  }

  #isMember(client: number, step: number): boolean {
    return (this.#from[client] as number) <= step && step < (this.#until[client] as number);
  }

  /** Hot path: allocates nothing. */
  take(batch: DeliveryBatch): void {
    const { sample } = this.context.options;
    const counts = this.#counts;
    for (let i = 0; i < batch.count; i++) {
      const client = batch.client[i] as number;
      const sequence = batch.sequence[i] as number;
      const step = Math.floor(sequence / sample);
      if (sequence >= this.#delivered.length || !this.#isMember(client, step)) {
        counts.stray++;
        continue;
      }
      if (this.#seen.has(client, sequence)) {
        counts.duplicate++;
        continue;
      }
      if (sequence < this.#closedBelow) {
        counts.late++;
        continue;
      }
      this.#seen.mark(client, sequence);
      counts.received++;
      this.#got[client] = (this.#got[client] as number) + 1;
      this.#delivered[sequence] = (this.#delivered[sequence] as number) + 1;
      const sentAtNs = this.context.board.sentAtNs[sequence] as number;
      if (sentAtNs === 0) continue;
      const receivedAtNs = batch.receivedAtNs[i] as number;
      if (receivedAtNs < sentAtNs) {
        counts.clockFaults++;
        continue;
      }
      this.#times.record(step, (receivedAtNs - sentAtNs) / 1000);
      this.#atLeast.record(
        atLeastUs(batch.notBeforeNs[i] as number, this.context.board.writtenAtNs[sequence] as number),
      );
    }
  }

  /**
   * Counts, per broadcast, the members of its step that miss it. Reads the bits, so that the ledger can find a
   * mismatch.
   */
  #missing(): Uint32Array {
    const { clientCount, options } = this.context;
    const { sample } = options;
    const missing = new Uint32Array(this.#delivered.length);
    for (let client = 0; client < clientCount; client++) {
      for (let sequence = 0; sequence <= this.#step * sample + sample - 1; sequence++) {
        if (!this.#isMember(client, Math.floor(sequence / sample))) continue;
        if (!this.#seen.has(client, sequence)) missing[sequence] = (missing[sequence] as number) + 1;
      }
    }
    return missing;
  }

  report(): { counts: Record<string, number>; series: Record<string, Uint32Array>; samples: Record<string, Samples> } {
    const owed = Uint32Array.from(
      this.#delivered,
      (_, n) => this.#members[Math.floor(n / this.context.options.sample)] as number,
    );
    return {
      counts: { ...this.#counts },
      series: { owed, delivered: this.#delivered, missing: this.#missing(), members: this.#members },
      samples: { ...this.#times.finish(), deliveryAtLeast: this.#atLeast.finish() },
    };
  }
}
