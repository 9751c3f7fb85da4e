import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { named } from '../../../../test/refusal.js';
import { keptDirectory, workplace } from '../../../../test/workplace.js';
import { runResult } from '../../../results/result.js';
import { findResult } from './answer.js';

const place = workplace();
const search = ['find', 'latency', '--subscribers', '7', '--ramp-rate', '1000/s', '--warm-up', '3'];

describe.concurrent('the rate that a threshold allows', () => {
  it('is none at which the backlog grows, however high the threshold, and every run lasts as long', async () => {
    // 100 broadcasts a second make its 700 deliveries.
    const target = ['--target', 'metronome', '--target-option', 'limit=700/s'];
    const flags = ['--limit', 'delivery.p50<10m', '--rate', '80/s', '--duration', '1s', '--repeat', '1'];
    const ended = await place.measure([...search, ...target, ...flags, '--json']);
    const found = findResult.parse(JSON.parse(ended.stdout));
    expect(findResult.parse(JSON.parse(readFileSync(join(keptDirectory(ended), 'finding.json'), 'utf8')))).toEqual(
      found,
    );
    expect(found.points.length).toBeGreaterThanOrEqual(2);
    for (const { ratePerSecond, durationMs, directory, holds, signs, doubts } of found.points) {
      expect(holds).toBe(doubts.length > 0 ? 'open' : signs.length > 0 ? 'no' : 'yes');
      const { job } = runResult.parse(JSON.parse(readFileSync(join(directory, 'result.json'), 'utf8')));
      expect([durationMs, job.options.broadcasts]).toEqual([1000, Math.round(ratePerSecond)]);
      // A fifth above its limit a target owes a sixth of a second of deliveries at the end: no run is good there.
      if (ratePerSecond > 120) expect(holds).not.toBe('yes');
    }
    if (found.endedBecause === '') expect(ended.code).toBe(found.answer === 'undecided' ? 4 : 0);
    const shown = await place.run(['show', keptDirectory(ended)]);
    expect(shown).toMatchObject({ code: 0, stderr: '' });
  });

  it('is at least the highest that the rig takes, in runs that agree, where that is kept', async () => {
    const { port } = await place.benchRunner(['--max-rate', '97']);
    const flags = ['--limit', 'delivery.p50<10m', '--rate', '60/s', '--duration', '500ms', '--repeat', '2'];
    const shard = ['--shard', `http://127.0.0.1:${port}`];
    const ended = await place.measure([...search, '--target', 'metronome', ...flags, ...shard, '--json']);
    const found = findResult.parse(JSON.parse(ended.stdout));
    const good = found.points.filter(({ holds }) => holds === 'yes');
    // A busy machine can miss the schedule, or seem to grow a backlog.
    if (found.answer === 'keptAtAll') {
      expect(found).toMatchObject({ interval: [60, null], endedBecause: expect.stringContaining('97') });
      expect(good.length).toBeGreaterThanOrEqual(2);
    } else expect(good.length).toBeLessThan(found.points.length);
    for (const { ratePerSecond } of found.points) expect(ratePerSecond).toBeLessThanOrEqual(97);
  });

  it('is not searched for a threshold that means nothing', async () => {
    const refused = await place.refused([...search, '--target', 'ws', '--limit', 'delivery.p99<0ms']);
    expect(refused).toEqual([named('badOption', '--limit:', 'a time above 0')]);
  });
});
