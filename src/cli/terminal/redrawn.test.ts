import { describe, expect, it } from 'vitest';
import { Redrawn } from './progress.js';

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

describe('lines that are drawn anew', () => {
  it('stand in the place of the last ones, each time by one write', () => {
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

  it('hide the cursor, and give it back at the end, and at that of the process', () => {
    const screen = new Screen();
    const listeners = process.listenerCount('exit');
    const block = new Redrawn(screen);
    block.draw(['one']);
    expect([screen.isCursorShown, process.listenerCount('exit')]).toEqual([false, listeners + 1]);
    block.end();
    expect([screen.isCursorShown, process.listenerCount('exit')]).toEqual([true, listeners]);
    block.end();
  });

  it('are begun anew below what a signal makes others say', () => {
    const screen = new Screen();
    const block = new Redrawn(screen);
    block.draw(['one', 'two']);
    process.emit('SIGHUP');
    screen.write('\nending the run\n');
    block.draw(['three', 'four']);
    expect(screen.text).toBe('one\ntwo\nending the run\nthree\nfour');
    block.end();
  });

  it('are found again on a terminal that was made narrower and broke them', () => {
    const screen = new Screen();
    const block = new Redrawn(screen);
    block.draw(['a line of twenty-four ch', 'two']);
    screen.columns = 11;
    block.draw(['one']);
    // Three rows of the first line, one of the second.
    expect(screen.writes.at(-1)?.startsWith('\r\x1b[3A')).toBe(true);
    block.end();
  });
});
