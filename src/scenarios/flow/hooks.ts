import type { DeliveryBatch } from '../../protocols/protocol.js';
import type { ArrivalStamps } from '../books/times.js';

/** What a scenario sees of the flow that it wraps. Clients have their numbers within the worker. */
export interface FlowHooks {
  /** Called when a client begins, so much later than planned. */
  begun?(lateNs: number): void;
  /** Called when a client joins a group. */
  joined?(client: number): void;
  /** Called for a client that could not go on. */
  left?(client: number, cause: string): void;
  /** Called for the first arrival of each mark, before it is timed. `row` is -1 for one of another shard. */
  arrived?(client: number, row: number, isAnswer: boolean, batch: DeliveryBatch, index: number): void;
  /** Called for each arrival that is timed, with the row of its send. */
  timed?(family: 'delivery' | 'answer', row: number, batch: ArrivalStamps, index: number): void;
}
