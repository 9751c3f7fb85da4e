import type { ClientEvents, Clients, DeliveryBatch, LibrarySetup, SessionSink } from '../../src/protocols/protocol.js';
import type { Cause } from '../../src/wire/wire.js';

/** A session's sink that holds every call as a line, such as `sent <text>`, `ready` or `subscribed <stream>`. */
export class RecordingSink implements SessionSink {
  lines: string[] = [];
  /** Messages that the session passed over. */
  readonly others: string[] = [];

  send(text: string | Uint8Array): void {
    this.lines.push(`sent ${text}`);
  }
  say(text: string | Uint8Array): boolean {
    this.lines.push(`sent ${text}`);
    return true;
  }
  ping(): void {
    this.lines.push('ping');
  }
  ready(): void {
    this.lines.push('ready');
  }
  subscribed(stream: string): void {
    this.lines.push(`subscribed ${stream}`);
  }
  other(bytes: Uint8Array): void {
    this.others.push(Buffer.from(bytes).toString());
  }
  refused(word: string): void {
    this.lines.push(`refused ${word}`);
  }
  delivered(sequence: number): void {
    this.lines.push(`delivered ${sequence}`);
  }
  acknowledged(sequence: number): void {
    this.lines.push(`acknowledged ${sequence}`);
  }
  resumed(wasRecovered: boolean): void {
    this.lines.push(`resumed ${wasRecovered}`);
  }

  /** The lines since the last call. */
  take(): string[] {
    const taken = this.lines;
    this.lines = [];
    return taken;
  }
}

/** A user of clients that holds every event as a line, which begins with the client's id, and lets a test await one. */
export class RecordingEvents implements ClientEvents {
  readonly lines: string[] = [];
  #waiting: (() => void)[] = [];

  opened(client: number): void {
    this.#add(`${client} opened`);
  }
  ready(client: number): void {
    this.#add(`${client} ready`);
  }
  subscribed(client: number, stream: string): void {
    this.#add(`${client} subscribed ${stream}`);
  }
  closed(client: number, cause: Cause, wasOpen: boolean): void {
    this.#add(`${client} closed ${cause} ${wasOpen}`);
  }
  resumed(client: number, wasRecovered: boolean): void {
    this.#add(`${client} resumed ${wasRecovered}`);
  }
  ponged(client: number): void {
    this.#add(`${client} ponged`);
  }
  deliveries(_batch: DeliveryBatch): void {
    throw new Error('library clients report deliveries through their setup');
  }

  /** Resolves once `line` was recorded `times` times. */
  async seen(line: string, times = 1): Promise<void> {
    while (this.lines.filter((known) => known === line).length < times) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  /** Opens a client and subscribes it to a stream, for the first time or that often. */
  async join(clients: Pick<Clients, 'open' | 'subscribe'>, client: number, stream: string, times = 1): Promise<void> {
    clients.open(client);
    await this.seen(`${client} ready`, times);
    clients.subscribe(client, stream);
    await this.seen(`${client} subscribed ${stream}`, times);
  }

  /** A setup for `url` whose deliveries, texts `seq:<number>`, are recorded as `<client> delivered <number>`. */
  setup(url: string, more: Partial<LibrarySetup> = {}): LibrarySetup {
    return {
      url,
      options: {},
      headers: {},
      subprotocols: [],
      numberOf: (client) => client,
      localAddresses: [],
      isInsecure: false,
      connectTimeoutMs: 7001,
      capacity: 7,
      payload: (sequence) => JSON.stringify({ m: `seq:${sequence}` }),
      sequenceOf: (text) => Number(/seq:(\d+)/.exec(text)?.[1] ?? -1),
      delivered: (client, sequence) => this.#add(`${client} delivered ${sequence}`),
      acknowledged: (client, sequence) => this.#add(`${client} acknowledged ${sequence}`),
      ...more,
    };
  }

  #add(line: string): void {
    this.lines.push(line);
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }
}

/** The same for clients made from a job, whose deliveries it holds as `<client>:<sequence>`. */
export class Heard extends RecordingEvents {
  readonly heard: string[] = [];

  override deliveries({ count, client, sequence }: DeliveryBatch): void {
    for (let at = 0; at < count; at++) this.heard.push(`${client[at]}:${sequence[at]}`);
  }
}
