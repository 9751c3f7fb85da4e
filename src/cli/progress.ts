import type { ProgressView } from '../driver/watch.js';

const lineEveryMs = 2000;

/** Shows how a run goes on stderr: one line that is rewritten on a terminal, otherwise a line per stage and every two seconds. */
export class Progress {
  readonly #label: string;
  readonly #isLive = process.stderr.isTTY;
  #stage = '';
  #lastLineMs = 0;

  constructor(label: string) {
    this.#label = label;
  }

  show(view: ProgressView): void {
    const figures = Object.entries(view.figures)
      .map(([name, value]) => `${name} ${value}`)
      .join('  ');
    const lost = view.shards.filter((shard) => shard.lost !== undefined).map((shard) => `LOST ${shard.url}`);
    const text = [`${this.#label}  ${(view.elapsedMs / 1000).toFixed(0)}s  ${view.stage}`, figures, ...lost].join('  ');
    if (this.#isLive) {
      process.stderr.write(`\r\x1b[2K${text.slice(0, (process.stderr.columns ?? 80) - 1)}`);
      return;
    }
    if (view.stage === this.#stage && view.elapsedMs - this.#lastLineMs < lineEveryMs) return;
    this.#stage = view.stage;
    this.#lastLineMs = view.elapsedMs;
    process.stderr.write(`${text}\n`);
  }

  /** Leaves the terminal clean for what follows. */
  end(): void {
    if (this.#isLive) process.stderr.write('\r\x1b[2K');
  }
}
