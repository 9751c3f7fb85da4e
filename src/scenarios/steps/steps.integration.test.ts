import { describe, expect, it } from 'vitest';
import { recordOf } from '../../../test/known-truth.js';
import { byStep, clean, openTo, place, run, sound, whole } from '../../../test/runs/steps.js';
import { keptResult } from '../../../test/workplace.js';

describe.concurrent('steps of clients', () => {
  it.each([1, 2])('a limit ends them after the step that breaks it, over %i shard(s)', async (shards) => {
    const flags = ['--target', 'metronome-shootout', '--limit', 'p95<1ms', '--target-option', 'refuse-publish=0.5'];
    const ended = await run([...flags, '--drain', '211ms', '--local-shards', String(shards)]);
    const result = sound(keptResult(ended));
    expect(result.stop.code).toBe('limitReached');
    expect(result.stop.evidence[0]).toMatch(/^step 1 of 3, 7 clients, broke p95<1ms: \d+ of 11 round trips/);
    expect(result.ledger).toMatchObject({ sent: 11, expected: 77, clients: { 1: 7 } });
    expect(result.shards.reduce((sum, { result: part }) => sum + (part?.counts.asked ?? 0), 0)).toBe(7);
  });

  it('are as spoilt as the metronome itself says, over two shards', async () => {
    const orders = ['--drop=0.1', '--duplicate=0.1', '--refuse-publish=0.1', '--seed=11'];
    const target = await place.serve('servers/metronome/main.js', ['--protocol=shootout', ...orders]);
    const at = ['--target-url', `ws://127.0.0.1:${target.port}/shootout`, '--protocol', 'shootout'];
    const result = sound(keptResult(await run([...at, '--drain', '5s', '--local-shards', '2'])));
    const { totals, broadcasts } = await recordOf(target);
    expect(totals).toMatchObject({ isWhole: true, pending: 0, gone: 0 });
    const refused = broadcasts.filter(({ status }) => status === 503).map(({ sequence }) => sequence);
    expect(totals.dropped * totals.duplicated * refused.length).toBeGreaterThan(0);
    const neverSaid = refused.reduce((sum, sequence) => sum + 7 * (Math.floor(sequence / 11) + 1), 0);
    expect(result.ledger).toMatchObject({
      ...{ sent: 33, answered: totals.broadcasts, unanswered: refused.length, expected: whole, clients: byStep },
      ...{ delivered: totals.delivered, lost: totals.dropped + neverSaid, duplicate: totals.duplicated, late: 0 },
    });
  });

  it('that a target takes no more clients for end with those that it took, and what was measured stands', async () => {
    const target = await place.serve('servers/metronome/main.js', ['--protocol=shootout']);
    const port = await openTo(7, target.port);
    const ended = await run(['--target-url', `ws://127.0.0.1:${port}/shootout`, '--protocol', 'shootout']);
    const result = sound(keptResult(ended));
    expect(result.stop.code).toBe('clientsShort');
    const [short, causes = ''] = result.stop.evidence;
    expect(short).toBe('round 2: 14 clients asked, 7 subscribers');
    const failed = [...causes.matchAll(/(reset|end-of-stream) × (\d+)/g)].map(([, , many]) => Number(many));
    expect(failed.reduce((sum, many) => sum + many, 0)).toBe(7);
    expect(result.ledger).toEqual({
      ...clean,
      ...{ sent: 11, answered: 11, expected: 77, delivered: 77, clients: { 1: 7 } },
    });
  });

  it('need a protocol that tells a sender when its broadcast is out', async () => {
    const ended = await run(['--target', 'ws']);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain('scenario steps needs "acknowledge"');
  });
});
