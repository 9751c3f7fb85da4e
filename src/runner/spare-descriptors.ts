import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';

/** For a publish connection, its DNS lookup, some requests of the driver and a read of `/proc`. */
const spare = 16;

/** File descriptors that clients can't take, for later work once released. Holds fewer if fewer are free. */
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

  get size(): number {
    return this.#held.length;
  }

  /** Frees all; later calls do nothing. */
  release(): void {
    for (const descriptor of this.#held) closeSync(descriptor);
    this.#held = [];
  }
}
