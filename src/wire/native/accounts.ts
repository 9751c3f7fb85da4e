import { account, type LoopMemory } from './layout.js';

/** What threads and JavaScript know of each client: client i is number i / n of thread i modulo n. */
export class Accounts {
  constructor(private readonly loops: readonly Pick<LoopMemory, 'accounts'>[]) {}

  #loop(client: number): LoopMemory['accounts'] {
    return (this.loops[client % this.loops.length] as LoopMemory).accounts;
  }

  #word(client: number, at: number): number {
    return Math.floor(client / this.loops.length) * account.words + at;
  }

  /** When all that the client said had left; Infinity while something waits. */
  leftAtNs(client: number): number {
    const { words, doubles } = this.#loop(client);
    if (Atomics.load(words, this.#word(client, account.waitingBytes)) > 0) return Number.POSITIVE_INFINITY;
    return doubles[Math.floor(client / this.loops.length) * account.doubles + account.leftNs] as number;
  }

  /** How many of its sends of the run no write has ever begun with. */
  unsent(client: number): number {
    return Atomics.load(this.#loop(client).words, this.#word(client, account.unsent));
  }

  /** Of what the thread handed over, `judged` is sound. A connection whose answers are under way needs `trust`. */
  judge(client: number, judged: number): void {
    Atomics.store(this.#loop(client).words, this.#word(client, account.judged), judged);
  }
}
