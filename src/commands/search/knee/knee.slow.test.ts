import { describe, expect, it } from 'vitest';
import { targetFlags } from '../../../../test/latency.js';
import { kept, limited, metronome, place } from '../../../../test/runs/knee.js';
import { keptDirectory } from '../../../../test/workplace.js';
import { knee } from '../../../results/search.js';

describe('the knee of a target that was told its limit', () => {
  it('is found by its signs alone, and no rate a fifth above the limit is good', async () => {
    const rates = ['--min-rate', '40/s', '--max-rate', '300/s', '--duration', '3s'];
    const ended = await place.measure([...limited, ...rates, '--json']);
    const found = kept(ended);
    expect(knee.parse(JSON.parse(ended.stdout))).toEqual(found);
    const [row] = found.rows;
    if (!row) throw new Error('nothing was tried');
    // Whatever the machine did, these hold of every search.
    expect(row.tries.length).toBeGreaterThanOrEqual(2);
    for (const { holds, signs, doubts } of row.tries) {
      expect(holds).toBe(doubts.length > 0 ? 'open' : signs.length > 0 ? 'no' : 'yes');
    }
    expect(ended.code).toBe(row.end === 'jammed' ? 0 : 4);
    const shown = await place.run(['show', keptDirectory(ended)]);
    expect(shown).toMatchObject({ code: 0, stderr: '' });
    // A fifth above its limit a target owes half a second of deliveries at the end: no run is good there.
    const good = row.tries.filter(({ holds }) => holds === 'yes').map(({ ratePerSecond }) => ratePerSecond);
    expect(Math.max(0, ...good)).toBeLessThan(120);
    expect(row.end).not.toBe('highestKept');
    // How near the limit it lies is for `search.test.ts`: here a busy machine makes runs doubtful.
    expect(row.recovery?.hasRecovered).not.toBe(false);
    if (row.recovery?.hasRecovered === null) expect(row.recovery.why.length).toBeGreaterThanOrEqual(1);
  });

  it('is not found below it, and nothing is made up', async () => {
    const rates = ['--min-rate', '10/s', '--max-rate', '25/s', '--duration', '1s', '--repeat', '1'];
    const ended = await place.measure([...limited, ...rates]);
    const [row] = kept(ended).rows;
    const jammed = row?.tries.filter(({ holds }) => holds === 'no') ?? [];
    // A busy machine makes runs doubtful. It jams a target only by keeping a core from it alone.
    const slow = ['latency-left-plateau', 'backlog-left'];
    expect(jammed.flatMap(({ signs }) => signs).filter(({ sign }) => !slow.includes(sign))).toEqual([]);
    if (jammed.length === 0) {
      expect(['highestKept', 'open', 'lowestFailed']).toContain(row?.end);
      expect(row).toMatchObject({ kneePerSecond: null, messagesPerSecond: null, recovery: null });
    }
    if (row?.end === 'highestKept') expect(row).toMatchObject({ keptUpTo: 25, failedFrom: null });
    expect(ended.code).toBe(row?.end === 'highestKept' || row?.end === 'jammed' ? 0 : 4);
  });
});

describe.concurrent('a search', () => {
  it('whose external target dies keeps its edges, and looks no further', async () => {
    const target = await place.serve('servers/ws/main.js');
    const rates = ['--min-rate', '10/s', '--max-rate', '1280/s', '--duration', '1s', '--repeat', '1'];
    const command = place.ringside(['knee', ...targetFlags(target), '--clients', '7,13', ...rates]);
    await command.said('stderr', /^7 × 10\/s.*good/m);
    target.command.kill('SIGKILL');
    const ended = await command.ended;
    const found = kept(ended);
    expect(ended.code).toBe(4);
    expect(found.endedBecause).toContain('connect-refused × 7');
    expect(found.rows).toMatchObject([{ clients: 7, end: 'ended', kneePerSecond: null }]);
    const [row] = found.rows;
    // What was good before is the lower edge; at most one run was under way when the target died.
    const good = row?.tries.filter(({ holds }) => holds === 'yes').map(({ ratePerSecond }) => ratePerSecond) ?? [];
    expect(row?.keptUpTo).toBe(Math.max(...good));
    const stops = row?.tries.map(({ stop }) => stop) ?? [];
    expect(stops.filter((stop) => stop === 'targetUnreachable')).toEqual([stops.at(-1)]);
  });

  it('whose shard dies has lost it, and keeps what it found', async () => {
    const served = await place.benchRunner();
    const shard = ['--shard', `http://127.0.0.1:${served.port}`];
    const command = place.ringside([
      ...metronome,
      '--clients',
      '7',
      '--min-rate',
      '11/s',
      '--duration',
      '1s',
      ...shard,
    ]);
    await command.said('stderr', /^7 × 11\/s/m);
    served.command.kill('SIGKILL');
    const ended = await command.ended;
    expect(ended).toMatchObject({ code: 5, signal: null });
    const found = kept(ended);
    expect(found.endedBecause).not.toBe('');
    expect(found.rows[0]).toMatchObject({ end: 'ended', kneePerSecond: null });
    expect(command.family()).toEqual([]);
  });
});
