import { stripVTControlCharacters } from 'node:util';

const hideCursor = '\x1b[?25l';
const showCursor = '\x1b[?25h';
const clearLine = '\x1b[K';
const clearBelow = '\x1b[J';
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export type Terminal = Pick<NodeJS.WriteStream, 'write'> & { columns?: number };

/** Terminal lines that are redrawn in place, each time by one write. The cursor hides until the end of the process. */
export class Redrawn {
  readonly #terminal: Terminal;
  readonly #restore = (): void => {
    this.#terminal.write(showCursor);
  };
  /** Output of signal handlers comes below the block, which then starts over. */
  readonly #forget = (): void => {
    this.#drawn = [];
  };
  #drawn: readonly string[] = [];
  #isBegun = false;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /** Draws lines over the last ones; none may be wider than the terminal. */
  draw(lines: readonly string[]): void {
    this.#begin();
    const text = lines.map((line) => `${line}${clearLine}`).join('\r\n');
    this.#terminal.write(`${this.#toFirst()}${text}${clearBelow}`);
    this.#drawn = lines;
  }

  /** Removes the lines and shows the cursor. */
  end(): void {
    if (!this.#isBegun) return;
    this.#terminal.write(`${this.#toFirst()}${clearBelow}${showCursor}`);
    this.#drawn = [];
    this.#isBegun = false;
    process.off('exit', this.#restore);
    for (const signal of signals) process.off(signal, this.#forget);
  }

  #begin(): void {
    if (this.#isBegun) return;
    this.#isBegun = true;
    this.#terminal.write(hideCursor);
    process.on('exit', this.#restore);
    for (const signal of signals) process.on(signal, this.#forget);
  }

  /** A terminal that was made narrower has broken its lines. */
  #toFirst(): string {
    const { columns = Number.POSITIVE_INFINITY } = this.#terminal;
    const rows = this.#drawn.reduce(
      (sum, line) => sum + Math.max(1, Math.ceil(stripVTControlCharacters(line).length / columns)),
      0,
    );
    return rows > 1 ? `\r\x1b[${rows - 1}A` : '\r';
  }
}
