import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { named } from '../../../../test/refusal.js';
import { keptDirectory, workplace } from '../../../../test/workplace.js';
import { runResult } from '../../../results/result.js';
import { finding } from '../../../results/search.js';

const place = workplace();
const search = ['find', 'latency', '--clients', '7', '--ramp-rate', '1000/s', '--warm-up', '3'];

describe.concurrent('the rate that a threshold allows', () => {
  it('is none at which the backlog grows, however high the threshold, and every run lasts as long', async () => {
    // 100 broadcasts a second make its 700 deliveries.
    const target = ['--target', 'metronome', '--target-option', 'limit=700/s'];
    const flags = ['--limit', 'delivery.p50<10m', '--rate', '80/s', '--duration', '1s', '--repeat', '1'];
    const ended = await place.measure([...search, ...target, ...flags, '--json']);
    const found = finding.parse(JSON.parse(ended.stdout));
    expect(finding.parse(JSON.parse(readFileSync(join(keptDirectory(ended), 'experiment.json'), 'utf8')))).toEqual(
      found,
    );
    expect(found.points.length).toBeGreaterThanOrEqual(2);
    for (const { ratePerSecond, durationMs, directory, holds, signs, why } of found.points) {
      expect(holds).toBe(why.length > 0 ? 'open' : signs.length > 0 ? 'no' : 'yes');
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
    const found = finding.parse(JSON.parse(ended.stdout));
    const good = found.points.filter(({ holds }) => holds === 'yes');
    // A busy machine can miss the schedule, or seem to grow a backlog.
    if (found.answer === 'keptAtAll') {
      expect(found).toMatchObject({ interval: [60, null], endedBecause: expect.stringContaining('97') });
      expect(good.length).toBeGreaterThanOrEqual(2);
    } else expect(good.length).toBeLessThan(found.points.length);
    for (const { ratePerSecond } of found.points) expect(ratePerSecond).toBeLessThanOrEqual(97);
  });

  it('is searched on from the runs that an interruption left, as the same search only', async () => {
    const { port } = await place.benchRunner(['--max-rate', '97']);
    const to = ['--target', 'metronome', '--shard', `http://127.0.0.1:${port}`];
    const flags = ['--rate', '20/s', '--duration', '500ms', '--repeat', '1', ...to];
    const limit = ['--limit', 'delivery.p50<10m'];
    const first = place.ringside([...search, ...flags, ...limit]);
    await first.said('stderr', /^20\/s: /m);
    first.kill('SIGINT');
    const interrupted = await first.ended;
    expect(interrupted.code).toBe(130);
    const directory = keptDirectory(interrupted);
    expect(interrupted.stderr).toContain(`--resume ${directory}`);
    const keptIn = () => finding.parse(JSON.parse(readFileSync(join(directory, 'experiment.json'), 'utf8')));
    const before = keptIn();
    const made = before.journal?.runs ?? [];
    expect(made[0]).toMatchObject({ label: '20/s', round: 0 });

    const resume = ['--resume', directory];
    const other = await place.refused([...search, ...flags, '--limit', 'delivery.p50<7m', ...resume]);
    expect(other).toEqual([named('badOption', 'limit', '10m', '7m')]);
    await place.measure([...search, ...flags, ...limit, ...resume]);
    const after = keptIn();
    expect(after.startedAt).toBe(before.startedAt);
    expect(after.journal?.runs.slice(0, made.length)).toEqual(made);
    expect(after.points.length).toBeGreaterThan(made.length);
    expect(after.points.slice(0, made.length)).toEqual(before.points.slice(0, made.length));
    expect(after.endedBecause).not.toBe(before.endedBecause);
  });
});
