import { describe, expect, it } from 'vitest';
import { asJson, named, refusal } from '../../../../test/refusal.js';
import { brief, kept, main, metronome, place, resultOf } from '../../../../test/runs/knee.js';

describe.concurrent('the knee of a target that was told its limit', () => {
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
});
