import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ProgressView } from '../../results/progress.js';
import { Progress } from './progress.js';

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
