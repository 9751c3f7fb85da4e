import type { SendMessage } from '../wire/wire.js';

/** Makes message `n` of declared sends, with the mark of that number. */
export type MessageMaker = (n: number, mark: number) => SendMessage;

/** An HTTP request of a client that has ended. It has a `cause` if it failed, and a `status` if an answer came. */
export interface SeenRequest {
  method: string;
  url: URL;
  us: number;
  status: number | undefined;
  cause: string | undefined;
}

/** Sees what a client does, for `ringside try`. Runs have none. */
export interface FlowTrace {
  /** Called when the user's code declares sends. Returns what makes their messages. */
  declared(make: MessageMaker): MessageMaker;
  requested(request: SeenRequest): void;
  checked(name: string, isKept: boolean): void;
  /** Receives what a listener of the user threw. */
  threw(error: unknown): void;
}
