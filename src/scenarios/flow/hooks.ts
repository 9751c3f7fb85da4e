import type { BookHooks } from '../books/marks/mark-times.js';

/** What a scenario sees of the flow that it wraps. Clients have their numbers within the worker. */
export interface FlowHooks extends BookHooks {
  /** Called when a client begins, so much later than planned. */
  begun?(lateNs: number): void;
  /** Called when a client joins a group. */
  joined?(client: number): void;
  /** Called for a client that could not go on. */
  left?(client: number, cause: string): void;
}
