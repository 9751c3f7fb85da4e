const mostTaken = 4096;

/** Turns of a schedule that wait for their instants, in their order. */
export class WaitingTurns {
  #turns: number[] = [];
  /** How many of them were taken. */
  #taken = 0;

  get first(): number | undefined {
    return this.#turns[this.#taken];
  }

  add(turn: number): void {
    this.#turns.push(turn);
  }

  takeFirst(): void {
    this.#taken++;
    if (this.#taken < mostTaken) return;
    this.#turns = this.#turns.slice(mostTaken);
    this.#taken = 0;
  }
}
