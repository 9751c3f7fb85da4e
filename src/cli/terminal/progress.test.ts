import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ProgressView } from '../../results/progress.js';
import { Progress, Redrawn } from './progress.js';

/** A view each quarter of a second: a ramp of two seconds, then 31 of publishing. */
function showRun(progress: Progress): void {
  for (let elapsedMs = 0; elapsedMs < 33_000; elapsedMs += 250) {
    const stage = elapsedMs < 2000 ? 'ramp' : 'publish';
    const none = { gauges: {}, percentiles: null, loadAtMs: null, stages: [], seconds: [], shards: [] };
    progress.show({ stage, elapsedMs, plannedMs: 33_000, figures: {}, ...none } satisfies ProgressView);
  }
}

/** Whole seconds and stage of each line. */
const lines = (): string[] => written.map((line) => /(\d+)s of .* (\w+)$/m.exec(line)?.slice(1).join(' ') ?? line);
let written: string[] = [];

describe('progress without a terminal', () => {
  const isTerminal = process.stderr.isTTY;

  beforeEach(() => {
    written = [];
    process.stderr.isTTY = false;
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => written.push(String(text)) > 0);
  });
  afterEach(() => {
    process.stderr.isTTY = isTerminal;
    vi.restoreAllMocks();
  });

  it('is a line for each stage of a run, and one every ten seconds', () => {
    showRun(new Progress('latency'));
    expect(lines()).toEqual(['0 ramp', '2 publish', '12 publish', '22 publish', '32 publish']);
  });

  it('is a line for each of several runs, and one every ten seconds', () => {
    const progress = new Progress('latency');
    for (const label of ['1/2 ws', '2/2 ws']) {
      progress.begin(label);
      showRun(progress);
    }
    const ofOne = ['0 ramp', '10 publish', '20 publish', '30 publish'];
    expect(lines()).toEqual([...ofOne, ...ofOne]);
  });
});

const escapeCode = '\x1b';
const tokens = new RegExp(`${escapeCode}\\[[?\\d]*[a-zA-Z]|\\r|\\n|[^${escapeCode}\\r\\n]+`, 'g');

/** A terminal of a few rows that knows what `Redrawn` writes, and whether its cursor shows. */
class Screen {
  columns = 40;
  readonly writes: string[] = [];
  isCursorShown = true;
  #lines: string[] = [''];
  #row = 0;

  readonly write = (text: string): boolean => {
    this.writes.push(text);
    for (const [token] of text.matchAll(tokens)) this.#take(token);
    return true;
  };

  #take(token: string): void {
    const up = /^.\[(\d+)A$/.exec(token)?.[1];
    if (up !== undefined) this.#row = Math.max(0, this.#row - Number(up));
    else if (token === '\n') {
      this.#row++;
      while (this.#lines.length <= this.#row) this.#lines.push('');
    } else if (token === '\x1b[J') this.#lines.splice(this.#row + 1);
    else if (token === '\x1b[?25l') this.isCursorShown = false;
    else if (token === '\x1b[?25h') this.isCursorShown = true;
    else if (!token.startsWith('\x1b') && token !== '\r') this.#lines[this.#row] = token;
    if (token === '\r' && this.#row === this.#lines.length - 1) this.#lines[this.#row] ??= '';
  }

  get text(): string {
    return this.#lines.join('\n').trimEnd();
  }
}

it('lines that are drawn anew stand in the place of the last ones, each time by one write', () => {
  const screen = new Screen();
  screen.write('$ ringside\r\n');
  const block = new Redrawn(screen);
  block.draw(['one', 'two']);
  block.draw(['uno', 'due', 'tre']);
  const before = screen.writes.length;
  block.draw(['eins', 'zwei']);
  expect(screen.writes.length - before).toBe(1);
  expect(screen.text).toBe('$ ringside\neins\nzwei');
  block.end();
});

it('lines that are drawn anew hide the cursor, and give it back at the end, and at that of the process', () => {
  const screen = new Screen();
  const listeners = process.listenerCount('exit');
  const block = new Redrawn(screen);
  block.draw(['one']);
  expect([screen.isCursorShown, process.listenerCount('exit')]).toEqual([false, listeners + 1]);
  block.end();
  expect([screen.isCursorShown, process.listenerCount('exit')]).toEqual([true, listeners]);
  block.end();
});

it('lines that are drawn anew are begun anew below what a signal makes others say', () => {
  const screen = new Screen();
  const block = new Redrawn(screen);
  block.draw(['one', 'two']);
  process.emit('SIGHUP');
  screen.write('\nending the run\n');
  block.draw(['three', 'four']);
  expect(screen.text).toBe('one\ntwo\nending the run\nthree\nfour');
  block.end();
});

it('lines that are drawn anew are found again on a terminal that was made narrower and broke them', () => {
  const screen = new Screen();
  const block = new Redrawn(screen);
  block.draw(['a line of twenty-four ch', 'two']);
  screen.columns = 11;
  block.draw(['one']);
  // Three rows of the first line, one of the second.
  expect(screen.writes.at(-1)?.startsWith('\r\x1b[3A')).toBe(true);
  block.end();
});
