import { stripVTControlCharacters } from 'node:util';
import { progressLine, progressLines } from '../../render/progress.js';
import type { ProgressView } from '../../results/progress.js';
import { signals } from '../signals.js';

const lineEveryMs = 10_000;

/** Shows runs on stderr: a block redrawn in place on a terminal, otherwise a line when something changes. */
export class Progress {
  // A container's terminal without a viewer has no columns.
  readonly #block = process.stderr.isTTY && process.stderr.columns !== 0 ? new Redrawn(process.stderr) : undefined;
  #isOneOfSeveral = false;
  /** What the last line showed. */
  #last = { stage: '', lost: 0, elapsedMs: 0 };

  /** `isByShard` draws a line for each shard. */
  constructor(
    private label: string,
    private readonly isByShard = false,
  ) {}

  begin(label: string): void {
    this.end();
    this.label = label;
    this.#isOneOfSeveral = true;
    this.#last = { stage: '', lost: 0, elapsedMs: 0 };
  }

  show(view: ProgressView): void {
    if (this.#block) {
      const { columns = 80, rows = 24 } = process.stderr;
      const isColored = (process.env.NO_COLOR ?? '') === '';
      this.#block.draw(progressLines(this.label, view, { columns, rows, isColored }, this.isByShard));
      return;
    }
    const lost = view.shards.filter((shard) => shard.lost !== null).length;
    const { stage, elapsedMs } = view;
    const isStage = this.#isOneOfSeveral ? this.#last.stage === '' : stage !== this.#last.stage;
    const isNews = isStage || lost !== this.#last.lost;
    if (!isNews && elapsedMs - this.#last.elapsedMs < lineEveryMs) return;
    this.#last = { stage, lost, elapsedMs };
    process.stderr.write(`${progressLine(this.label, view)}\n`);
  }

  end(): void {
    this.#block?.end();
  }
}

const hideCursor = '\x1b[?25l';
const showCursor = '\x1b[?25h';
const clearLine = '\x1b[K';
const clearBelow = '\x1b[J';

type Terminal = Pick<NodeJS.WriteStream, 'write'> & { columns?: number };

/** Redraws terminal lines in place, each time by one write. Hides the cursor until the end of the process. */
export class Redrawn {
  readonly #restore = (): void => {
    this.terminal.write(showCursor);
  };
  /** Output of signal handlers appears below the block, which then starts again. */
  readonly #forget = (): void => {
    this.#drawn = [];
  };
  #drawn: readonly string[] = [];
  #isBegun = false;

  constructor(private readonly terminal: Terminal) {}

  /** Draws lines over the last ones. None may be wider than the terminal. */
  draw(lines: readonly string[]): void {
    this.#begin();
    const text = lines.map((line) => `${line}${clearLine}`).join('\r\n');
    this.terminal.write(`${this.#toFirst()}${text}${clearBelow}`);
    this.#drawn = lines;
  }

  end(): void {
    if (!this.#isBegun) return;
    this.terminal.write(`${this.#toFirst()}${clearBelow}${showCursor}`);
    this.#drawn = [];
    this.#isBegun = false;
    process.off('exit', this.#restore);
    for (const signal of signals) process.off(signal, this.#forget);
  }

  #begin(): void {
    if (this.#isBegun) return;
    this.#isBegun = true;
    this.terminal.write(hideCursor);
    process.on('exit', this.#restore);
    for (const signal of signals) process.on(signal, this.#forget);
  }

  /** Moves to the first line. A narrowed terminal has wrapped the lines. */
  #toFirst(): string {
    const { columns = Number.POSITIVE_INFINITY } = this.terminal;
    const rows = this.#drawn.reduce(
      (sum, line) => sum + Math.max(1, Math.ceil(stripVTControlCharacters(line).length / columns)),
      0,
    );
    return rows > 1 ? `\r\x1b[${rows - 1}A` : '\r';
  }
}
