import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { afterAll, describe, expect, it } from 'vitest';
import { keptResult, workplace } from '../../test/workplace.js';

const place = workplace();
const delayMs = 20;
/** What a timer is late by, and what the server works for all its subscribers. */
const ownWorkMs = 5;
const core = 0;
const burning = 'const endMs = Date.now() + 60_000; while (Date.now() < endMs);';
const burners: ChildProcess[] = [];

afterAll(() => {
  for (const burner of burners) burner.kill('SIGKILL');
});

const hasTaskset = process.platform === 'linux' && spawnSync('taskset', ['-p', `${process.pid}`]).status === 0;

describe.runIf(hasTaskset)('a server that shares its core with programs that never rest (taskset: util-linux)', () => {
  it('is not blamed for what they took: its own delay lies between the ends of its figures', async () => {
    for (let at = 0; at < 3; at++)
      burners.push(spawn('taskset', ['-c', `${core}`, process.execPath, '-e', burning], { stdio: 'ignore' }));
    const command = place.ringside([
      ...['run', 'latency', '--target', 'metronome', '--target-option', `delay=constant:${delayMs}ms`],
      ...['--clients', '101', '--rate', '50/s', '--broadcasts', '101', '--warm-up', '53'],
    ]);
    const servers = () => command.family('metronome/main.js');
    await expect.poll(() => servers().length, { timeout: 60_000 }).toBe(1);
    expect(spawnSync('taskset', ['-a', '-c', '-p', `${core}`, `${servers()[0]!.pid}`]).status).toBe(0);
    const { metrics, verdict } = keptResult(await command.ended);
    for (const figure of ['p50', 'p90'] as const) {
      const marks = (verdict.doubts ?? []).filter(
        (doubt) => doubt.rule === 'target-starved' && doubt.metric === 'delivery' && doubt.figure === figure,
      );
      expect(marks).toHaveLength(1);
      expect(metrics.delivery![figure]).toBeGreaterThanOrEqual(delayMs * 1000);
      expect(marks[0]!.leastUs).toBeLessThanOrEqual((delayMs + ownWorkMs) * 1000);
    }
  });
});
