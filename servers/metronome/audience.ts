export interface Subscription<Connection> {
  readonly connection: Connection;
  readonly stream: string;
  /** Identifies the subscription among those of its client, see `DialectClient`. */
  readonly form: string;
}

export class Subscriptions<Connection> {
  readonly #streams = new Map<string, Set<Subscription<Connection>>>();
  readonly #held = new Map<Connection, Map<string, Subscription<Connection>>>();

  of(stream: string): Iterable<Subscription<Connection>> {
    return this.#streams.get(stream) ?? [];
  }

  /** Subscribes a connection. A second subscription of the same form is ignored. */
  subscribe(connection: Connection, stream: string, form: string): void {
    const held = this.#held.get(connection) ?? new Map<string, Subscription<Connection>>();
    if (held.has(form)) return;
    const subscription = { connection, stream, form };
    this.#held.set(connection, held.set(form, subscription));
    const subscribers = this.#streams.get(stream);
    if (subscribers === undefined) this.#streams.set(stream, new Set([subscription]));
    else subscribers.add(subscription);
  }

  unsubscribe(connection: Connection, form: string): void {
    const held = this.#held.get(connection);
    const subscription = held?.get(form);
    if (subscription === undefined) return;
    held?.delete(form);
    const subscribers = this.#streams.get(subscription.stream);
    if (subscribers?.delete(subscription) && subscribers.size === 0) this.#streams.delete(subscription.stream);
  }

  leave(connection: Connection): void {
    for (const form of this.#held.get(connection)?.keys() ?? []) this.unsubscribe(connection, form);
    this.#held.delete(connection);
  }
}
