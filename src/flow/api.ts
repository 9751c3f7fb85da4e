/** Messages of a target have any shape. */
// biome-ignore lint/suspicious/noExplicitAny: users read fields of messages without a cast
export type Any = any;

/** A time in milliseconds, or as text such as `250ms`, `2s`, `5m` and `1h`. */
export type Time = number | `${number}${'ms' | 's' | 'm' | 'h'}`;

/** The life of one client, and what belongs to it. `R`: a row of the data. `S`: the result of `setup`. */
export interface Flow<R = unknown, S = unknown> {
  /** Runs once for each client, which ends with the promise. Its open sockets are then closed with code 1000. */
  client(me: Me<R, S>): Promise<unknown>;
  data?: Data<R>;
  /** Runs once per run, in the driver, before any client. Its result goes to all workers as JSON, as `me.shared`. */
  setup?(run: { target: URL; seed: number; http: Http }): Promise<S>;
  /** Runs once after the run, however it ended. */
  teardown?(run: { target: URL; http: Http; shared: S }): Promise<void>;
  /** Durations that `me.metric` and `me.time` record, in milliseconds. */
  metrics?: Record<string, { meaning: string; thresholds?: readonly string[] }>;
  /** Thresholds of every run of this flow, such as `delivery.p99<200ms`. */
  thresholds?: readonly string[];
  /** After the promise: `leave`, or begin `again`. Then the number of clients decides the load, and results say so. */
  afterwards?: 'leave' | 'again';
  /** After a rejection, counted by cause and line: `leave`, a `replace`ment, or `stop` the run. */
  onError?: 'leave' | 'replace' | 'stop';
}

/** What a flow knows of its client and can do for it. */
export interface Me<R = unknown, S = unknown> {
  /** The client's number in the whole run, from 0, and the number of all clients. */
  readonly number: number;
  readonly clients: number;
  readonly row: R;
  readonly shared: S;
  readonly target: URL;
  /** Aborted when the run ends. All waits of this client then reject. */
  readonly signal: AbortSignal;
  /** Opens a socket on the engine. The connect is timed. Rejects with `Left` and the cause that the ledger counts. */
  open(url?: string | URL, options?: OpenOptions): Promise<Conn>;
  /** A `WebSocket` for libraries. Its sockets are on the engine, and count as this client's. */
  readonly WebSocket: typeof globalThis.WebSocket;
  /** Requests to the target. Their cookies go with `open` and `WebSocket`. */
  readonly http: Http;
  /** A draw from 0 to below 1. It depends on the seed, the client's number and the draws before. */
  random(): number;
  sleep(time: Time): Promise<void>;
  /**
   * A pause of a person, drawn with the mean `time`: at most the share `jitter` (0.5) shorter or longer. For
   * `lognormal`, the jitter is the standard deviation. It is a part of no figure.
   */
  think(time: Time, options?: { jitter?: number; shape?: 'uniform' | 'exponential' | 'lognormal' }): Promise<void>;
  /** Resolves when all clients that have not ended wait for it, over all shards, or `of` of them. It stays open. */
  together(name: string, options?: { of?: number | `${number}%`; within?: Time }): Promise<void>;
  /** Joins a group. The membership begins when `confirm` resolves, and ends with `leave` or the socket. */
  join<T>(group: string, confirm: () => Promise<T>): Promise<Group & { answer: T }>;
  /** Counts messages that the server numbers: gaps are lost. `from`: the first number, or that of the first message. */
  stream(name: string, options: { seq(message: Any): number; from?: 'first' | number }): { saw(message: Any): void };
  /** Counts a check as kept or broken. Returns whether it is kept. */
  check(name: string, isKept: unknown): boolean;
  /** Records a duration in milliseconds for a metric of the flow. */
  metric(name: string, ms: number): void;
  /** Times work of your own for a metric of the flow. Such a time is closed: a slow answer delays the next one. */
  time<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** Writes a line to the log of the run. At most 20 lines per second of each worker; the rest is counted. */
  log(...words: unknown[]): void;
}

/** A group of clients that owe each other deliveries. */
export interface Group {
  readonly name: string;
  /** All members but the sender. */
  readonly others: Owed;
  readonly all: Owed;
  leave(): void;
}

/** The receivers of a declared send. */
export interface Owed {
  readonly group: string;
  readonly isToAll: boolean;
}

export interface OpenOptions {
  protocols?: string | readonly string[];
  headers?: Readonly<Record<string, string>>;
  /** Returns what pairs a message with its `ask`. Default: `message.id`. */
  idOf?(message: Any): unknown;
  /** How messages are read: as JSON, text or bytes, or by a function. Default: `json`, and text where it is none. */
  parse?: 'json' | 'text' | 'bytes' | ((data: string | Uint8Array) => unknown);
  /** Messages that are kept while nobody waits. Beyond it, the oldest goes and is counted. Default: 1000. */
  inbox?: number;
  /** Set if messages with a mark go to `on`, `next` and `inbox`, too. Else the ledger alone takes them. */
  seesMarked?: boolean;
  /** Waits before each new attempt after a cut. `again` runs on each new connection. Default: `never`. */
  reconnect?:
    | 'never'
    | { waits: readonly Time[]; jitter?: 'full' | 'none'; most?: number; again?(conn: Conn): Promise<unknown> };
}

/** Fields that a message has, a test, or a pattern of its text. */
export type Match<M = Any> = Partial<NoInfer<M>> | ((message: M) => boolean) | RegExp;

/** A message of the target. Times are those of the engine in milliseconds; it arrived between the two. */
export interface FlowMessage<M = Any> {
  json: M;
  data: string | Uint8Array;
  at: number;
  notBefore: number;
}

/**
 * A message with slots: `{n}` (number of the send, from 0), `{client}`, `{mark}` (what the ledger finds again),
 * `{row.x}` and `{random:1-6}`. In an object, `'{n}'` as a whole value becomes a number.
 */
export type MessageTemplate = string | Uint8Array | object;

/** Messages that declared sends take in turn. */
export class MessagesInTurn {
  constructor(readonly messages: readonly MessageTemplate[]) {
    if (messages.length === 0) throw new RangeError('takeTurns: expected one message at least, received none');
  }
}

/** Declared sends take these messages in turn, and begin again after the last one. */
export function takeTurns(messages: readonly MessageTemplate[]): MessagesInTurn {
  return new MessagesInTurn(messages);
}

/** An open socket of a client. */
export interface Conn {
  /** Sends at once. Such a send has no schedule and is counted apart. */
  send(message: string | Uint8Array | object): void;
  /** Sends with an `id` of its own and awaits the answer with it, or that of `match`. The time is closed. */
  ask<M = Any>(message: object, options?: { name?: string; within?: Time; match?: Match<M> }): Promise<M>;
  /** Resolves with the next message, or the first in the inbox. `since` also looks at those after a mark. */
  next<M = Any>(match?: Match<M>, options?: { within?: Time; since?: Bookmark }): Promise<FlowMessage<M>>;
  inbox<M = Any>(match?: Match<M>, options?: { until?: Time }): AsyncIterable<FlowMessage<M>>;
  /** Calls for every such message. Returns a function that ends it. */
  on<M = Any>(match: Match<M>, then: (message: FlowMessage<M>) => void): () => void;
  /** Keeps messages from here on for a `next` with `since`. */
  mark(): Bookmark;
  /** Declares sends at intended instants, in slots of 1 ms. They leave without your code, also while it is busy. */
  every(
    period: Time | { perSecond: number; poisson?: boolean },
    message: MessageTemplate,
    options?: Declared,
  ): Schedule;
  at(times: readonly Time[], message: MessageTemplate, options?: Declared): Schedule;
  burst(count: number, message: MessageTemplate, options?: Declared & { over?: Time }): Schedule;
  /** Resolves when the socket is closed: by the answer of the target, or after 5 s. */
  close(code?: number, reason?: string): Promise<void>;
  drop(how: 'reset' | 'vanish'): void;
  readonly closed: Promise<{ code: number; reason: string; cause: string }>;
}

/** A point in the messages of a socket. */
export interface Bookmark {
  readonly after: number;
}

/** Options of declared sends. */
export interface Declared {
  /** Name in the figures. Default: the line of your file. Without any text, the sends are only in the sum of all. */
  name?: string;
  /** Each member owes one delivery with this send's `{mark}`. */
  owed?: Owed;
  /** Set if the target answers each send once, with its `{mark}`. It is timed from the intended instant. */
  answer?: { mark: true };
  /** `now`: the first instant is drawn in the first period. `start`: the first is at once. Default: `now`. */
  from?: 'now' | 'start';
  count?: number;
  until?: Time;
  /** Each at its own instant in place of slots of 1 ms, for more CPU time of the load generator. */
  exact?: boolean;
}

/** Declared sends under way. */
export interface Schedule {
  stop(): void;
  readonly sent: number;
  /** Resolves after the last one, or when it was stopped. */
  readonly done: Promise<void>;
}

export interface Http {
  get(path: string, options?: HttpOptions): Answer;
  post(path: string, body?: unknown, options?: HttpOptions): Answer;
}

export interface HttpOptions {
  headers?: Readonly<Record<string, string>>;
  /** Name in the figures. Default: method and path. */
  name?: string;
  within?: Time;
  /** Expected status. Default: any below 400. */
  expect?: number | readonly number[];
}

export interface Answer extends Promise<Response> {
  json<T = Any>(): Promise<T>;
  text(): Promise<string>;
}

/** Rows of a file, one for each client. */
export interface Data<R> {
  readonly rows: number;
  row(client: number): R;
}

/**
 * `each`: client i gets row i, and too few rows are refused. `unique`: the same, and no row is used again by a client
 * that begins anew. `loop`: row i modulo the rows. `random`: drawn by the seed.
 */
export interface DataOptions {
  deal?: 'each' | 'unique' | 'loop' | 'random';
}

/** A client that could not go on, with the cause that the ledger counts. */
export class Left extends Error {
  override readonly name = 'Left';

  constructor(
    override readonly cause: string,
    message = cause,
  ) {
    super(message);
  }
}

/** Returns the flow as it is. It gives editors its types. */
export function defineFlow<R = unknown, S = unknown>(flow: Flow<R, S>): Flow<R, S> {
  return flow;
}
