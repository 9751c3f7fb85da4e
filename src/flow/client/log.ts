import { inspect } from 'node:util';
import { longestText, outsideText } from '../../units/text.js';

/** Lines that a worker writes in a second. Further ones are counted. */
const linesPerSecond = 20;

/** The log of a worker's clients. */
export class FlowLog {
  /** Lines that were not written. */
  dropped = 0;
  #second = Number.NEGATIVE_INFINITY;
  #written = 0;

  constructor(
    private readonly write: (text: string) => void,
    private readonly nowMs: () => number,
  ) {}

  log(client: number, words: readonly unknown[]): void {
    const second = Math.floor(this.nowMs() / 1000);
    if (second !== this.#second) [this.#second, this.#written] = [second, 0];
    if (this.#written >= linesPerSecond) {
      this.dropped++;
      return;
    }
    this.#written++;
    this.write(outsideText(`client ${client}: ${words.map(wordOf).join(' ')}`));
  }
}

function wordOf(word: unknown): string {
  if (typeof word === 'string') return word;
  return inspect(word, { depth: 2, breakLength: Infinity, maxArrayLength: 20, maxStringLength: longestText });
}
