import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';

/** For one publish connection, the lookup of its name, a few requests of the driver and a look at `/proc`. */
const spare = 16;

/**
 * File descriptors that clients can't take: where those of the process run out while clients are opened, what comes after it finds some once they
 * are released. Where there are fewer free, it has those.
 */
export class SpareDescriptors {
  #held: number[] = [];

  constructor(count = spare) {
    try {
      while (this.#held.length < count) this.#held.push(openSync(devNull, 'r'));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'EMFILE' && code !== 'ENFILE') throw error;
    }
  }

  /** How many are held. */
  get size(): number {
    return this.#held.length;
  }

  /** Frees all of them; later calls change nothing. */
  release(): void {
    for (const descriptor of this.#held) closeSync(descriptor);
    this.#held = [];
  }
}
