import type { Broadcast } from '../../broadcast.js';

/** A broadcast on its way to subscribers. */
export interface Spoken extends Broadcast {
  /** Which of its stream's broadcasts it is, from 1. */
  offset: number;
}

/** What a client's message may do. `form` names a subscription: equal forms get equal frames. */
export interface Client {
  readonly index: number;
  /** What the upgrade agreed on; empty for none. */
  readonly subprotocol: string;
  say(text: string): void;
  subscribe(stream: string, form: string): void;
  unsubscribe(form: string): void;
  whisper(stream: string, text: (form: string) => string): void;
  /** Publishes as an HTTP request would; false if the orders refuse it. */
  broadcast(published: Broadcast): boolean;
}

/** An application protocol as a server speaks it: texts in, texts out. No socket, no timer. */
export interface Dialect {
  path: string;
  /** Picks one of the subprotocols that a client offers; false for none. */
  subprotocol(offered: ReadonlySet<string>): string | false;
  greet(client: Client): void;
  /** Takes a whole message; undefined stands for a binary one. */
  hear(client: Client, text: string | undefined): void;
  /** The message that delivers a broadcast to a subscription of that form. */
  delivery(broadcast: Spoken, form: string): string;
  heartbeat?: { everyMs: number; text(): string };
}
