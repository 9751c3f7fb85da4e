import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { latencyFlags, soundResult } from '../../../test/latency.js';
import { canDrill, Network } from '../../../test/network.js';
import { exitOf, workplace } from '../../../test/workplace.js';

const place = workplace();
const subscribers = 31;

describe.runIf(canDrill('a cut control link'))('a control link', { concurrent: true }, () => {
  it('that is cut for 3, 6 and 20 s loses nothing, and the result has the gaps', async () => {
    const network = await Network.open(place, 2);
    const [{ flags }] = await Promise.all([network.target(), network.shard('s1'), network.shard('s2')]);
    const broadcasts = 1999;
    // A busy machine answers late what was published meanwhile.
    const more = ['--publish-timeout', '2m', ...flags];
    const driver = network.drive(['run', 'latency', ...latencyFlags(subscribers, broadcasts), ...more], ['s1', 's2']);
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

  it('that is cut for 21 s, beyond the lease: what the shard kept is fetched, and it is free again', async () => {
    const network = await Network.open(place, 2);
    const [{ flags }] = await Promise.all([network.target(), network.shard('s1'), network.shard('s2')]);
    const [leaseMs, cutMs] = [11_000, 21_000];
    const more = ['--lease', `${leaseMs}ms`, ...flags];
    const driver = network.drive(['run', 'latency', ...latencyFlags(subscribers, 4999), ...more], ['s1', 's2']);
    await driver.said('stderr', / publish .* received [1-9]/);
    network.cut('s2', 'control');
    await Promise.all([delay(cutMs), driver.said('stderr', /LOST/)]);
    network.heal('s2', 'control');
    const ended = await driver.ended;
    const { stop, shards, ledger, verdict, environment } = soundResult(ended);
    expect([ended.code, stop.code]).toEqual([5, 'shardLost']);
    expect(stop.evidence).toEqual([expect.stringContaining(network.urlOf('s2'))]);
    expect(shards).toMatchObject([
      { state: 'partial', result: { stop: { code: 'endedByDriver' } } },
      { state: 'partial', result: { stop: { code: 'interrupted' } } },
    ]);
    for (const { result } of shards) expect(result?.samples.delivery?.count).toBeGreaterThan(0);
    expect(ledger.delivered).toBeGreaterThan(0);
    const rules = verdict.evidence.map(({ rule }) => rule);
    expect(rules).toContain('cut-short');
    expect(rules.filter((rule) => rule.startsWith('nothing-'))).toEqual([]);
    // The seconds: neither side gave the other up before its lease, and the run ended before the link was back.
    const [gap] = (shards[1]?.silences ?? []).filter(({ fromMs, toMs }) => toMs - fromMs >= cutMs - 1000);
    const publishing = environment.stages.find(({ name }) => name === 'publish');
    expect(publishing?.toMs).toBeGreaterThan((gap?.fromMs ?? 0) + leaseMs - 1000);
    expect(publishing?.toMs).toBeLessThan(gap?.toMs ?? 0);
    const next = await network.drive(['run', 'latency', ...latencyFlags(7, 101), ...flags], ['s2']).ended;
    expect(soundResult(next).ledger).toMatchObject({ acked: 101, delivered: 707, lost: 0 });
  });
});
