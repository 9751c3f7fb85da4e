import { progressLine, progressLines } from '../../render/progress.js';
import type { ProgressView } from '../../results/progress.js';
import { Redrawn } from './redrawn.js';

const lineEveryMs = 2000;

/** Shows runs on stderr: a block redrawn in place on a terminal, otherwise a line per stage and every two seconds. */
export class Progress {
  #label: string;
  readonly #block = process.stderr.isTTY ? new Redrawn(process.stderr) : undefined;
  #stage = '';
  #lost = 0;
  #lastLineMs = 0;

  constructor(label: string) {
    this.#label = label;
  }

  /** Starts the progress of the next run. */
  begin(label: string): void {
    this.end();
    this.#label = label;
    this.#stage = '';
    this.#lost = 0;
    this.#lastLineMs = 0;
  }

  show(view: ProgressView): void {
    if (this.#block) {
      const { columns = 80, rows = 24 } = process.stderr;
      const isColored = (process.env.NO_COLOR ?? '') === '';
      this.#block.draw(progressLines(this.#label, view, { columns, rows, isColored }));
      return;
    }
    const lost = view.shards.filter((shard) => shard.lost !== null).length;
    const isNews = view.stage !== this.#stage || lost !== this.#lost;
    if (!isNews && view.elapsedMs - this.#lastLineMs < lineEveryMs) return;
    this.#stage = view.stage;
    this.#lost = lost;
    this.#lastLineMs = view.elapsedMs;
    process.stderr.write(`${progressLine(this.#label, view)}\n`);
  }

  /** Removes the block from the terminal. */
  end(): void {
    this.#block?.end();
  }
}
