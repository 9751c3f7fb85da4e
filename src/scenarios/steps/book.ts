import type { Board } from '../../measure/samples/board.js';
import type { Recorder } from '../../measure/samples/recorder.js';
import type { Samples } from '../../measure/samples/samples.js';
import type { DeliveryBatch } from '../../protocols/protocol.js';
import { Seen } from '../seen.js';
import { StepTimes } from './times.js';

const never = 0x7fff_ffff;

export interface BookShape {
  clients: number;
  steps: number;
  /** Operations of each step: number n of the run belongs to step floor(n / sample). */
  sample: number;
  /** Where workers of this shard enter what they send. */
  board: Board;
  recorder(): Recorder;
}

/** One worker's deliveries, timed if sent by this shard. A client should get all of the steps that it began with. */
export class DeliveryBook {
  readonly #shape: BookShape;
  readonly #seen: Seen;
  /** The first step that a client is a member of, and the first after that. */
  readonly #from: Int32Array;
  readonly #until: Int32Array;
  /** Of the running step, how many broadcasts each client got. */
  readonly #got: Int32Array;
  readonly #delivered: Uint32Array;
  readonly #members: Uint32Array;
  readonly #times: StepTimes;
  readonly #atLeast: Recorder;
  readonly #counts = { received: 0, duplicate: 0, late: 0, stray: 0, clockFaults: 0 };
  #step = -1;
  /** What is below is late when it comes. */
  #closedBelow = 0;

  constructor(shape: BookShape) {
    this.#shape = shape;
    const broadcasts = shape.steps * shape.sample;
    this.#seen = new Seen(shape.clients, broadcasts);
    this.#from = new Int32Array(shape.clients).fill(never);
    this.#until = new Int32Array(shape.clients).fill(never);
    this.#got = new Int32Array(shape.clients);
    this.#delivered = new Uint32Array(broadcasts);
    this.#members = new Uint32Array(shape.steps);
    this.#times = new StepTimes('delivery', shape.recorder);
    this.#atLeast = shape.recorder();
  }

  /** Begins the next step: every connected client should get all of its broadcasts. */
  begin(isOpen: (client: number) => boolean): void {
    const step = ++this.#step;
    this.#times.begin();
    this.#got.fill(0);
    for (let client = 0; client < this.#shape.clients; client++) {
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

  /** Whether every broadcast of the running step reached every member for which `isOpen` still holds. */
  isComplete(isOpen: (client: number) => boolean): boolean {
    for (let client = 0; client < this.#shape.clients; client++) {
      if ((this.#got[client] as number) < this.#shape.sample && this.#isMember(client, this.#step) && isOpen(client))
        return false;
    }
    return true;
  }

  /** Ends the drain of the running step: what comes of it from now on is late, and stays lost. */
  close(): void {
    this.#closedBelow = (this.#step + 1) * this.#shape.sample;
  }

  #isMember(client: number, step: number): boolean {
    return (this.#from[client] as number) <= step && step < (this.#until[client] as number);
  }

  /** Hot path: allocates nothing. */
  take(batch: DeliveryBatch): void {
    const { sample } = this.#shape;
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
      const sentAtNs = this.#shape.board.sentAtNs[sequence] as number;
      if (sentAtNs === 0) continue;
      const receivedAtNs = batch.receivedAtNs[i] as number;
      if (receivedAtNs < sentAtNs) {
        counts.clockFaults++;
        continue;
      }
      this.#times.record(step, (receivedAtNs - sentAtNs) / 1000);
      this.#atLeast.record(Math.max(0, batch.readableFromNs - sentAtNs) / 1000);
    }
  }

  /** By broadcast, the members of its step that miss it. Read from the bits, so that the ledger can break. */
  #missing(): Uint32Array {
    const { clients, sample } = this.#shape;
    const missing = new Uint32Array(this.#delivered.length);
    for (let client = 0; client < clients; client++) {
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
      (_, n) => this.#members[Math.floor(n / this.#shape.sample)] as number,
    );
    return {
      counts: { ...this.#counts },
      series: { owed, delivered: this.#delivered, missing: this.#missing(), members: this.#members },
      samples: { ...this.#times.finish(), deliveryAtLeast: this.#atLeast.finish() },
    };
  }
}
