import type { Broadcast, HttpAnswer } from '../../routes.js';

export interface Spoken extends Broadcast {
  /** Position among the broadcasts of its stream, from 1. */
  offset: number;
}

/** The actions that a message can cause. `form` names a subscription. Equal forms get equal frames. */
export interface DialectClient {
  readonly index: number;
  /** Subprotocol that the upgrade agreed on. Empty without one. */
  readonly subprotocol: string;
  /** Path and query of the upgrade. */
  readonly url: string;
  say(text: string): void;
  subscribe(stream: string, form: string): void;
  unsubscribe(form: string): void;
  whisper(stream: string, text: (form: string) => string): void;
  /** Publishes as an HTTP request would. Returns false if the ordered faults refuse it. */
  broadcast(published: Broadcast): boolean;
  end(code: number): void;
}

/** Holds the parts of a publish over HTTP that a signature can cover. */
export interface SignedRequest {
  method: string;
  path: string;
  query: string;
  body: string;
}

/** A protocol's own requests for publishing, besides `POST /_broadcast`. They are answered with 200 and `{}`. */
export interface PublishApi {
  isOf(path: string): boolean;
  /** Returns the broadcasts in a request, or the answer that refuses it. */
  read(request: SignedRequest): Broadcast[] | HttpAnswer;
}

/** Describes the server side of an application protocol. It maps texts to texts, without a socket or a timer. */
export interface Dialect {
  path: string;
  /** If true, upgrades can ask for any path that begins with `path`. */
  takesBelow?: true;
  /** Picks one of the subprotocols that a client offers. Returns false if none fits. */
  subprotocol(offered: ReadonlySet<string>): string | false;
  greet(client: DialectClient): void;
  /** Handles a whole message. It is undefined for a binary one. */
  hear(client: DialectClient, text: string | undefined): void;
  delivery(broadcast: Spoken, form: string): string;
  heartbeat?: { everyMs: number; text(): string };
  /** Returns the message to send before an ordered close with this code. */
  goodbye?(code: number): string | undefined;
  api?: PublishApi;
}
