import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { asJson, named, refusal } from '../../../../test/refusal.js';
import { brief, kept, main, metronome, place, resultOf } from '../../../../test/runs/knee.js';
import { stopReasons } from '../../../contract/stop-reasons.js';
import { knee } from '../../../results/search.js';
import { ShardClient } from '../../../run/shards/shard-client.js';
import { findKnees } from './knee.js';
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

  it('is kept with all that it takes to run it again, and so is each of its runs', async () => {
    const ended = await place.measure([...metronome, '--clients', '7', ...brief, '--seed', '7919', '--json']);
    const found = kept(ended);
    expect(found).toMatchObject({
      target: { name: 'metronome', isOurs: true, versions: { node: expect.any(String) } },
      job: { options: { payloadBytes: 200, publishers: 4, warmUp: 3 }, shards: 1, seed: 7919 },
      sources: { clients: 'search', ratePerSecond: 'search', durationMs: 'flag', seed: 'flag' },
      environment: { shards: [{ cores: found.environment.driver.cores }] },
    });
    const results = found.rows.flatMap(({ tries }) => tries).map(resultOf);
    for (const { target, sources, environment } of results) {
      expect(target).toMatchObject({ isOurs: true, versions: found.target.versions });
      expect(sources).toMatchObject({ clients: 'search', ratePerSecond: 'search', durationMs: 'flag' });
      expect(environment.observations.some(({ source }) => source === 'proc')).toBe(process.platform === 'linux');
    }
    // One process over all its runs.
    expect(new Set(results.map(({ target }) => target.wsUrl)).size).toBe(1);
  });
});

describe.concurrent('what can be known before the first run', () => {
  it('is refused before it, for every number of clients, and nothing is started', async () => {
    const args = ['knee', '--target', 'ws', '--clients', '7,50021,100003', '--local-address', '127.0.0.1'];
    const script = ['-c', 'ulimit -n 1009; exec "$@"', 'sh', process.execPath, main, ...args];
    const refused = await refusal(place.start('sh', script, asJson));
    for (const clients of [50_021, 100_003]) expect(refused).toContainEqual(named('descriptorLimit', clients, 1009));
    expect(refused).not.toContainEqual(named('descriptorLimit', ' 7 clients'));
  });

  it('is refused by what a shard takes', async () => {
    const { port } = await place.benchRunner(['--max-clients', '11', '--max-rate', '97']);
    const shard = ['--shard', `http://127.0.0.1:${port}`];
    const refused = await place.refused([...metronome, '--clients', '7,13', ...shard]);
    expect(refused).toEqual(expect.arrayContaining([named('overLimit', 11, 13), named('overLimit', 97, 10_000)]));
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
});
