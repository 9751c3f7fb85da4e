import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { latencyFlags, soundResult } from '../../../test/latency.js';
import { canDrill, Network } from '../../../test/network.js';
import { exitOf, workplace } from '../../../test/workplace.js';

const place = workplace();
const subscribers = 31;

describe.runIf(canDrill('a cut control link'))('a control link', () => {
  it('that is cut for 3, 6 and 20 s loses nothing, and the result has the gaps', async () => {
    const network = await Network.open(place, 2);
    const [{ flags }] = await Promise.all([network.target(), network.shard('s1'), network.shard('s2')]);
    const broadcasts = 1999;
    const driver = network.drive(['run', 'latency', ...latencyFlags(subscribers, broadcasts), ...flags], ['s1', 's2']);
    await driver.said('stderr', / publish /);
    const cuts = [3000, 6000, 20_000];
    for (const cutMs of cuts) {
      network.cut('s2', 'control');
      await delay(cutMs);
      network.heal('s2', 'control');
      await delay(2503);
    }
    const ended = await driver.ended;
    const result = soundResult(ended);
    const { stop, shards, ledger } = result;
    expect([ended.code, stop.code]).toEqual([exitOf(result), 'completed']);
    expect(shards.map(({ state }) => state)).toEqual(['complete', 'complete']);
    expect(ledger).toMatchObject({ acked: broadcasts, delivered: subscribers * broadcasts, lost: 0 });
    // A busy machine may be silent by itself, for a little while.
    const gaps = (shards[1]?.silences ?? []).map(({ fromMs, toMs }) => toMs - fromMs);
    for (const cutMs of cuts) expect(gaps).toContainEqual(expect.toSatisfy((ms) => ms >= cutMs - 1000));
  });

  it('that is cut beyond the lease: the driver fetches the part that the shard kept, which is free again', async () => {
    const network = await Network.open(place, 2);
    const [{ flags }] = await Promise.all([network.target(), network.shard('s1'), network.shard('s2')]);
    const [lease, broadcasts] = ['10s', 4999];
    const more = ['--lease', lease, ...flags];
    const driver = network.drive(['run', 'latency', ...latencyFlags(subscribers, broadcasts), ...more], ['s1', 's2']);
    await driver.said('stderr', / publish /);
    await delay(2003);
    network.cut('s2', 'control');
    await delay(18_000);
    network.heal('s2', 'control');
    const ended = await driver.ended;
    const { stop, shards, ledger, verdict } = soundResult(ended);
    expect([ended.code, stop.code]).toEqual([5, 'shardLost']);
    expect(shards).toMatchObject([
      { state: 'partial', result: { stop: { code: 'endedByDriver' } } },
      { state: 'partial', result: { stop: { code: 'interrupted' } } },
    ]);
    for (const { result } of shards) expect(result?.samples.delivery?.count).toBeGreaterThan(0);
    expect(ledger.delivered).toBeGreaterThan(0);
    expect(shards[1]?.silences).toContainEqual(
      expect.toSatisfy(({ fromMs, toMs }: { fromMs: number; toMs: number }) => toMs - fromMs > 17_000),
    );
    const rules = verdict.evidence.map(({ rule }) => rule);
    expect(rules.filter((rule) => rule.startsWith('nothing-'))).toEqual([]);
    const next = await network.drive(['run', 'latency', ...latencyFlags(7, 101), ...flags], ['s2']).ended;
    expect(soundResult(next).ledger).toMatchObject({ acked: 101, delivered: 707, lost: 0 });
  });
});
