import { z } from 'zod';
import {
  atLeastUs,
  broadcastState,
  finished,
  type Recorder,
  recordersOf,
  type StampTable,
} from '../../measure/samples/recorder.js';
import type { Samples } from '../../measure/samples/samples.js';
import type { DeliveryBatch } from '../../protocols/protocol.js';
import { duration } from '../../units/unit.js';
import { bytesOption, choiceOption, countOption, drainMs, rampRatePerSecond } from '../options.js';

export const limitForm = 'pPERCENT<DURATION such as p95<500ms';

/** Describes a percentile of round trips that has to stay below a time. */
export interface Limit {
  /** In parts of a million, exact. */
  millionths: number;
  us: number;
}

const whole = 1_000_000;

/** Reads `p95<500ms`. Returns undefined for any other form. */
export function parseLimit(text: string): Limit | undefined {
  const [, percent = '', below = ''] = /^p(\d{1,2}(?:\.\d{1,4})?)<(.+)$/.exec(text.trim()) ?? [];
  const millionths = Math.round(Number(percent) * 10_000);
  const ms = duration.parse(below);
  return ms === undefined || millionths === 0 ? undefined : { millionths, us: ms * 1000 };
}

/** Returns true if the nearest-rank percentile of `operations` is below: `atLeast` took the limit's time or longer. */
export function keepsLimit({ millionths }: Limit, operations: number, atLeast: number): boolean {
  return atLeast <= operations - Math.ceil((operations * millionths) / whole);
}

export const stepsOptions = z.strictObject({
  mode: choiceOption('mode', ['broadcast', 'echo'], 'broadcast', 'send to all clients, or back to the sender'),
  step: countOption('step', 1000, [1, 1_000_000], 'clients that each step adds, all shards together'),
  steps: countOption('steps', 10, [1, 1000], 'largest number of steps'),
  concurrent: countOption('concurrent', 4, [1, 10_000], 'unanswered operations at once, all shards together'),
  sample: countOption('sample', 100, [1, 1_000_000], 'operations of each step; a p95 needs 100'),
  paddingBytes: bytesOption('padding', 200, [0, 1_000_000], 'padding in each payload, beside 38 identifying bytes'),
  limit: z
    .string()
    .refine((text) => parseLimit(text) !== undefined, { error: `expected ${limitForm}` })
    .optional()
    .meta({
      flag: 'limit',
      placeholder: 'threshold',
      help: 'stop after the step whose round trips break it, as p95<500ms',
    }),
  rampRatePerSecond,
  drainMs: drainMs(5000, 'longest wait for an answer and for a step’s last deliveries', 1),
});

export type StepsOptions = z.output<typeof stepsOptions>;

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
  sender(sequence: number): number;
  send(client: number, sequence: number): boolean;
  isHandedOver(client: number): boolean;
  /** Returns when the client's message left, if later than the send; 0 while that is unknown. */
  leftLaterAtNs(client: number): number;
}

/** Runs one worker's part of the closed loop. Each slot sends its next operation after the answer. */
export function closedLoop(shape: LoopShape) {
  const { board, concurrent, limit, nowNs, recorder, sample, slots } = shape;
  const senders = new Int32Array(sample * shape.steps).fill(nobody);
  /** Per slot: the operation in flight and the next one's number in its step. */
  const inFlight = new Map(slots.map((slot) => [slot, nothing]));
  const next = new Map(slots.map((slot) => [slot, slot]));
  const times = new StepTimes('roundTrip', recorder);
  const all = recordersOf(recorder, 'roundTrip', 'roundTripAtLeast');
  const counts = {
    ...{ attempted: 0, unsent: 0, answered: 0, answeredAgain: 0, answeredLate: 0, answeredWrongly: 0 },
    clockFaults: 0,
  };
  let step = -1;
  /** Operations of the running step that were sent, and those that took the limit's time or longer. */
  const held = { stepSends: 0, stepSlow: 0 };

  const sendNext = (slot: number): void => {
    for (let number = next.get(slot) as number; number < sample; number += concurrent) {
      const sequence = step * sample + number;
      const client = shape.sender(sequence);
      const sentAtNs = nowNs();
      if (client === nobody || !shape.send(client, sequence)) {
        counts.unsent++;
        continue;
      }
      const writtenAtNs = nowNs();
      next.set(slot, number + concurrent);
      inFlight.set(slot, sequence);
      senders[sequence] = client;
      counts.attempted++;
      held.stepSends++;
      board.state[sequence] = broadcastState.sent;
      board.intendedAtNs[sequence] = sentAtNs;
      board.sentAtNs[sequence] = sentAtNs;
      board.writtenAtNs[sequence] = shape.isHandedOver(client) ? writtenAtNs : 0;
      return;
    }
    next.set(slot, sample);
    inFlight.set(slot, nothing);
  };

  return {
    begin(): void {
      step++;
      times.begin();
      Object.assign(held, { stepSends: 0, stepSlow: 0 });
      for (const slot of slots) {
        next.set(slot, slot);
        sendNext(slot);
      }
    },
    end(): void {
      for (const slot of slots) next.set(slot, sample);
    },
    get isIdle() {
      return [...inFlight.values()].every((sequence) => sequence === nothing);
    },
    get sent() {
      return counts.attempted;
    },
    get answered() {
      return counts.answered;
    },
    held,
    answer(batch: DeliveryBatch, index: number): void {
      const sequence = batch.sequence[index] as number;
      const client = batch.client[index] as number;
      if (senders[sequence] !== client) counts.answeredWrongly++;
      else if (board.state[sequence] === broadcastState.acked) counts.answeredAgain++;
      else if (board.state[sequence] !== broadcastState.sent) counts.answeredLate++;
      else {
        board.state[sequence] = broadcastState.acked;
        board.ackAtNs[sequence] = batch.receivedAtNs[index] as number;
        counts.answered++;
        const us = ((batch.receivedAtNs[index] as number) - (board.sentAtNs[sequence] as number)) / 1000;
        if (us < 0) counts.clockFaults++;
        else {
          times.record(step, us);
          all.roundTrip.record(us);
          if (board.writtenAtNs[sequence] === 0) board.writtenAtNs[sequence] = shape.leftLaterAtNs(client);
          const leastUs = atLeastUs(batch.notBeforeNs[index] as number, board.writtenAtNs[sequence] as number);
          all.roundTripAtLeast.record(leastUs);
        }
        if (limit !== undefined && us >= limit.us) held.stepSlow++;
        sendNext((sequence % sample) % concurrent);
      }
    },
    giveUpBefore(atNs: number): void {
      for (const [slot, sequence] of inFlight) {
        if (sequence === nothing || (board.sentAtNs[sequence] as number) >= atNs) continue;
        board.state[sequence] = broadcastState.failed;
        held.stepSlow++;
        sendNext(slot);
      }
    },
    /** Reads unanswered operations from the table, so that the ledger can find a mismatch. */
    report() {
      const sent = Uint32Array.from(senders, (client) => (client === nobody ? 0 : 1));
      const isOpen = (isSent: number, sequence: number): boolean =>
        isSent === 1 && board.state[sequence] !== broadcastState.acked;
      const unanswered = sent.map((isSent, sequence) => Number(isOpen(isSent, sequence)));
      return { counts, series: { sent, unanswered }, samples: { ...times.finish(), ...finished(all) } };
    },
  };
}

/** Records a metric's samples of each step. */
export class StepTimes {
  readonly #steps: Recorder[] = [];

  constructor(
    private readonly metric: string,
    private readonly recorder: () => Recorder,
  ) {}

  begin(): void {
    this.#steps.push(this.recorder());
  }

  /** Hot path: allocates nothing. `step` is counted from 0. */
  record(step: number, us: number): void {
    (this.#steps[step] as Recorder).record(us);
  }

  finish(): Record<string, Samples> {
    return Object.fromEntries(this.#steps.map((each, step) => [ofStep(this.metric, step + 1), each.finish()]));
  }
}

export interface WorkerPart {
  firstClient: number;
  clientCount: number;
}

/** Counts a worker's clients in the first `steps` steps. Client g of the run is in step g mod `of`. */
export function clientsUpTo({ firstClient, clientCount }: WorkerPart, steps: number, of: number): number {
  const below = (end: number): number => Math.floor(end / of) * steps + Math.min(end % of, steps);
  return below(firstClient + clientCount) - below(firstClient);
}

/** Returns the slots of a worker. Each is pinned to a client of the first step, so every operation has one worker. */
export function workerSlots(
  { firstClient, clientCount }: WorkerPart,
  { step, steps, concurrent }: { step: number; steps: number; concurrent: number },
): number[] {
  return Array.from({ length: concurrent }, (_, slot) => slot).filter((slot) => {
    const client = Math.min(step - 1, Math.ceil((slot * step) / concurrent)) * steps;
    return firstClient <= client && client < firstClient + clientCount;
  });
}

/** Returns the name of a metric's samples in one step, numbered from 1. */
export function ofStep(metric: string, step: number): string {
  return `${metric}Step${step}`;
}
