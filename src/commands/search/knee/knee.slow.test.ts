import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { targetFlags } from '../../../../test/latency.js';
import { brief, kept, limited, metronome, place } from '../../../../test/runs/knee.js';
import { keptDirectory } from '../../../../test/workplace.js';
import { stopReasons } from '../../../contract/stop-reasons.js';
import { knee } from '../../../results/search.js';
import { ShardClient } from '../../../run/shards/shard-client.js';
import { findKnees } from './command.js';
import { planKnee } from './plan.js';

describe.concurrent('the knee of a target that was told its limit', () => {
  it('lies below the lowest rate where the target does not carry even that', async () => {
    const overloaded = [...metronome, '--target-option', 'limit=100/s', '--clients', '97', ...brief];
    const ended = await place.measure([...overloaded, '--drain', '500ms', '--json']);
    const found = kept(ended);
    const [row] = found.rows;
    // 10 × 97 deliveries a second are due, of which 100 come: the loss is in every run, whatever the machine does.
    for (const { signs } of row?.tries ?? []) expect(signs.map(({ sign }) => sign)).toContain('deliveries-lost');
    expect(row).toMatchObject({ end: 'lowestFailed', keptUpTo: null, failedFrom: 10, kneePerSecond: null });
    expect(row?.plateau).toBeNull();
    const last = row?.tries.at(-1);
    expect(ended.code).toBe(last?.holds === 'open' || last?.stop === 'nothingDelivered' ? 4 : 0);
  });

  it('is found by its signs alone, and no rate a fifth above the limit is good', async () => {
    const rates = ['--min-rate', '40/s', '--max-rate', '300/s', '--duration', '3s'];
    const ended = await place.measure([...limited, ...rates, '--json']);
    const found = kept(ended);
    expect(knee.parse(JSON.parse(ended.stdout))).toEqual(found);
    const [row] = found.rows;
    if (!row) throw new Error('nothing was tried');
    // Whatever the machine did, these hold of every search.
    expect(row.tries.length).toBeGreaterThanOrEqual(2);
    for (const { holds, signs, why } of row.tries) {
      expect(holds).toBe(why.length > 0 ? 'open' : signs.length > 0 ? 'no' : 'yes');
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
});

describe.concurrent('a search', () => {
  it('that is interrupted keeps what it found', () =>
    place.fleet.lend(1, async (env) => {
      const flags = ['--clients', '7', '--min-rate', '11/s', '--duration', '1s'];
      const command = place.ringside([...metronome, ...flags], { ...env });
      await command.said('stderr', /^7 × 11\/s/m);
      command.kill('SIGINT');
      const ended = await command.ended;
      expect(ended.code).toBe(130);
      const found = kept(ended);
      expect(found.endedBecause).toContain(stopReasons.interrupted.title);
      expect(found.rows[0]?.tries.length).toBeGreaterThanOrEqual(1);
      expect(found.rows[0]?.end).toBe('ended');
      expect(command.family()).toEqual([]);
    }));

  it('that a fault of ours ends keeps what it found, and throws the fault', async () => {
    const [target, runner] = [await place.serve('servers/metronome/main.js'), await place.benchRunner()];
    const at = `127.0.0.1:${target.port}`;
    const flags = {
      ...{ targetUrl: `ws://${at}/ws`, protocol: 'ws-json', publishUrl: `http://${at}/_broadcast`, warmUp: '3' },
      ...{ clients: ['7'], minRate: '11/s', durationMs: '1s', resultsDir: join(place.folder, 'faults') },
    };
    const shard = new ShardClient(`http://127.0.0.1:${runner.port}`, undefined);
    let directory = '';
    const search = findKnees(planKnee({ flags, env: {}, file: {} }), {
      ...{ shards: [shard], childDescriptors: null, interrupt: new AbortController().signal, notKept: () => undefined },
      progress: () => undefined,
      begins: () => undefined,
      tried() {
        throw new Error('a fault of ours');
      },
      finished: () => undefined,
      tell(where) {
        directory = where;
      },
    });
    await expect(search).rejects.toThrow('a fault of ours');
    await shard.close();
    const found = knee.parse(JSON.parse(readFileSync(join(directory, 'experiment.json'), 'utf8')));
    expect(found).toMatchObject({ endedBecause: 'a fault of ours', rows: [{ end: 'ended' }] });
    expect(found.rows[0]?.tries).toHaveLength(1);
  });

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
