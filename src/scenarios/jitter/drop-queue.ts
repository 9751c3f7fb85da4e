const never = Number.POSITIVE_INFINITY;

/** The drops that are still to come, of each client of a worker. */
export class DropQueue {
  readonly #later: number[][];
  readonly #nextNs: Float64Array;

  constructor(clients: number) {
    this.#later = Array.from({ length: clients }, () => []);
    this.#nextNs = new Float64Array(clients).fill(never);
  }

  set(client: number, instantsNs: readonly number[]): void {
    const [next = never, ...later] = instantsNs;
    this.#nextNs[client] = next;
    this.#later[client] = later;
  }

  /** Whether a drop of the client is due, which is then taken out. */
  take(client: number, nowNs: number): boolean {
    if ((this.#nextNs[client] as number) > nowNs) return false;
    this.#nextNs[client] = this.#later[client]?.shift() ?? never;
    return true;
  }

  get left(): number {
    const next = this.#nextNs.reduce((sum, atNs) => sum + (atNs === never ? 0 : 1), 0);
    return this.#later.reduce((sum, instants) => sum + instants.length, next);
  }
}
