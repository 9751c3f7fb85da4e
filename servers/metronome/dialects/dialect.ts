import type { Broadcast } from '../../broadcast.js';
import type { HttpAnswer } from '../../routes.js';

/** A broadcast on its way to subscribers. */
export interface Spoken extends Broadcast {
  /** Which of its stream's broadcasts it is, from 1. */
  offset: number;
}

/** What a client's message may do. `form` names a subscription: equal forms get equal frames. */
export interface DialectClient {
  readonly index: number;
  /** What the upgrade agreed on; empty for none. */
  readonly subprotocol: string;
  /** Path and query of the upgrade. */
  readonly url: string;
  say(text: string): void;
  subscribe(stream: string, form: string): void;
  unsubscribe(form: string): void;
  whisper(stream: string, text: (form: string) => string): void;
  /** Publishes as an HTTP request would; false if the orders refuse it. */
  broadcast(published: Broadcast): boolean;
  /** Ends the connection with a close code, behind what was said. */
  end(code: number): void;
}

/** What a signature of a publish over HTTP may cover. */
export interface SignedRequest {
  method: string;
  path: string;
  query: string;
  body: string;
}

/** A protocol's own requests for publishing, beside `POST /_broadcast`. They are answered 200 with `{}`. */
export interface PublishApi {
  isOf(path: string): boolean;
  /** The broadcasts that a request asks for, or the answer that refuses it. */
  read(request: SignedRequest): Broadcast[] | HttpAnswer;
}

/** An application protocol as a server speaks it: texts in, texts out. No socket, no timer. */
export interface Dialect {
  path: string;
  /** Upgrades may ask for any path that begins with `path`. */
  takesBelow?: true;
  /** Picks one of the subprotocols that a client offers; false for none. */
  subprotocol(offered: ReadonlySet<string>): string | false;
  greet(client: DialectClient): void;
  /** Takes a whole message; undefined stands for a binary one. */
  hear(client: DialectClient, text: string | undefined): void;
  /** The message that delivers a broadcast to a subscription of that form. */
  delivery(broadcast: Spoken, form: string): string;
  heartbeat?: { everyMs: number; text(): string };
  /** What it says before it ends a connection with a close code by order. */
  goodbye?(code: number): string | undefined;
  api?: PublishApi;
}
