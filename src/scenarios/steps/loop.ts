import { broadcastState, type Recorder, type StampTable } from '../../measure/samples/recorder.js';
import type { Samples } from '../../measure/samples/samples.js';
import type { DeliveryBatch } from '../../protocols/protocol.js';
import { atLeastUs } from '../books/times.js';
import type { Limit } from './options.js';
import { StepTimes } from './times.js';

const nobody = -1;
const nothing = -1;

export interface LoopShape {
  /** Numbers of the operations in flight that this worker keeps going, of `concurrent` in all. */
  slots: readonly number[];
  concurrent: number;
  sample: number;
  steps: number;
  limit: Limit | undefined;
  board: StampTable;
  nowNs(): number;
  recorder(): Recorder;
  /** Returns the connected client that sends an operation, or -1. */
  sender(sequence: number): number;
  send(client: number, sequence: number): boolean;
  /** Returns true if nothing of this client waits for the kernel. */
  isHandedOver(client: number): boolean;
  /** Returns when the client's message left, if later than the send; 0 while that is unknown. */
  leftLaterAtNs(client: number): number;
}

/**
 * Runs one worker's part of the closed loop. Each slot has one operation in flight and sends its next after the answer.
 */
export class ClosedLoop {
  readonly #sender: Int32Array;
  /** Per slot: the operation in flight and the next one's number in its step. */
  readonly #inFlight: Map<number, number>;
  readonly #next: Map<number, number>;
  readonly #times: StepTimes;
  readonly #atLeast: Recorder;
  readonly #counts = { attempted: 0, unsent: 0, answered: 0, answeredAgain: 0, answeredLate: 0, answeredWrongly: 0 };
  #clockFaults = 0;
  #step = -1;
  /** Operations of the running step that were sent, and those that took the limit's time or longer. */
  #sends = 0;
  #slow = 0;

  constructor(private readonly shape: LoopShape) {
    this.#sender = new Int32Array(shape.sample * shape.steps).fill(nobody);
    this.#inFlight = new Map(shape.slots.map((slot) => [slot, nothing]));
    this.#next = new Map(shape.slots.map((slot) => [slot, slot]));
    this.#times = new StepTimes('roundTrip', shape.recorder);
    this.#atLeast = shape.recorder();
  }

  begin(): void {
    this.#step++;
    this.#times.begin();
    this.#sends = 0;
    this.#slow = 0;
    for (const slot of this.shape.slots) {
      this.#next.set(slot, slot);
      this.#sendNext(slot);
    }
  }

  /** Stops sending. Operations in flight can still be answered. */
  end(): void {
    for (const slot of this.shape.slots) this.#next.set(slot, this.shape.sample);
  }

  get isIdle(): boolean {
    return [...this.#inFlight.values()].every((sequence) => sequence === nothing);
  }

  get sent(): number {
    return this.#counts.attempted;
  }

  get answered(): number {
    return this.#counts.answered;
  }

  get held(): { stepSends: number; stepSlow: number } {
    return { stepSends: this.#sends, stepSlow: this.#slow };
  }

  #sendNext(slot: number): void {
    const { sample, concurrent, board, sender, send, isHandedOver, nowNs } = this.shape;
    for (let number = this.#next.get(slot) as number; number < sample; number += concurrent) {
      const sequence = this.#step * sample + number;
      const client = sender(sequence);
      const sentAtNs = nowNs();
      if (client === nobody || !send(client, sequence)) {
        this.#counts.unsent++;
        continue;
      }
      const writtenAtNs = nowNs();
      this.#next.set(slot, number + concurrent);
      this.#inFlight.set(slot, sequence);
      this.#sender[sequence] = client;
      this.#counts.attempted++;
      this.#sends++;
      board.state[sequence] = broadcastState.sent;
      board.sentAtNs[sequence] = sentAtNs;
      board.writtenAtNs[sequence] = isHandedOver(client) ? writtenAtNs : 0;
      return;
    }
    this.#next.set(slot, sample);
    this.#inFlight.set(slot, nothing);
  }

  /** Takes answer `index` of a batch. */
  answer(batch: DeliveryBatch, index: number): void {
    const { board, sample, concurrent, limit } = this.shape;
    const sequence = batch.sequence[index] as number;
    if (this.#sender[sequence] !== batch.client[index]) this.#counts.answeredWrongly++;
    else if (board.state[sequence] === broadcastState.acked) this.#counts.answeredAgain++;
    else if (board.state[sequence] !== broadcastState.sent) this.#counts.answeredLate++;
    else {
      board.state[sequence] = broadcastState.acked;
      this.#counts.answered++;
      const us = ((batch.receivedAtNs[index] as number) - (board.sentAtNs[sequence] as number)) / 1000;
      if (us < 0) this.#clockFaults++;
      else {
        this.#times.record(this.#step, us);
        if (board.writtenAtNs[sequence] === 0)
          board.writtenAtNs[sequence] = this.shape.leftLaterAtNs(batch.client[index] as number);
        this.#atLeast.record(atLeastUs(batch.notBeforeNs[index] as number, board.writtenAtNs[sequence] as number));
      }
      if (limit !== undefined && us >= limit.us) this.#slow++;
      this.#sendNext((sequence % sample) % concurrent);
    }
  }

  giveUpBefore(atNs: number): void {
    const { board } = this.shape;
    for (const [slot, sequence] of this.#inFlight) {
      if (sequence === nothing || (board.sentAtNs[sequence] as number) >= atNs) continue;
      board.state[sequence] = broadcastState.failed;
      this.#slow++;
      this.#sendNext(slot);
    }
  }

  /**
   * Returns counts, series and samples. Reads unanswered operations from the table, so that the ledger can find a
   * mismatch.
   */
  report(): { counts: Record<string, number>; series: Record<string, Uint32Array>; samples: Record<string, Samples> } {
    const { board } = this.shape;
    const sent = Uint32Array.from(this.#sender, (client) => (client === nobody ? 0 : 1));
    const unanswered = Uint32Array.from(sent, (isSent, sequence) =>
      isSent === 1 && board.state[sequence] !== broadcastState.acked ? 1 : 0,
    );
    const counts = { ...this.#counts, clockFaults: this.#clockFaults };
    return {
      counts,
      series: { sent, unanswered },
      samples: { ...this.#times.finish(), roundTripAtLeast: this.#atLeast.finish() },
    };
  }
}
