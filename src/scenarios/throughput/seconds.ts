/** Numbers of events by the second after a start: an entry of a report's timeline. */
export class Seconds {
  readonly #startNs: number;
  readonly #counts: number[] = [];

  constructor(startNs: number) {
    this.#startNs = startNs;
  }

  add(events: number, atNs: number): void {
    const second = Math.max(0, Math.floor((atNs - this.#startNs) / 1e9));
    while (this.#counts.length <= second) this.#counts.push(0);
    this.#counts[second] = (this.#counts[second] as number) + events;
  }

  /** Second by second; those after the last event are left out. */
  report(): number[] {
    return this.#counts;
  }
}
