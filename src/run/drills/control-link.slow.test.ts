import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { latencyFlags, soundResult } from '../../../test/latency.js';
import { canDrill, Network } from '../../../test/network.js';
import { exitOf, workplace } from '../../../test/workplace.js';

const place = workplace();
const isThere = canDrill('a cut control link');

describe.runIf(isThere)('a control link', () => {
  it('that is cut for 3, 6 and 20 s loses nothing, and the result has the gaps', async () => {
    const network = await Network.open(place, 2);
    const [{ flags }] = await Promise.all([network.target(), network.shard('s1'), network.shard('s2')]);
    const broadcasts = 1999;
    const driver = network.drive(['run', 'latency', ...latencyFlags(31, broadcasts), ...flags], ['s1', 's2']);
    await driver.said('stderr', / publish /);
    const cuts = [3000, 6000, 20_000];
    for (const cutMs of cuts) {
      network.cut('s2', 'control');
      await delay(cutMs);
      network.heal('s2', 'control');
      await delay(2500);
    }
    const ended = await driver.ended;
    const result = soundResult(ended);
    const { stop, shards, ledger } = result;
    console.log(ended.stdout, ended.stderr, JSON.stringify(shards.map(({silences})=>silences)));
    expect([ended.code, stop.code]).toEqual([exitOf(result), 'completed']);
    expect(shards.map(({ state }) => state)).toEqual(['complete', 'complete']);
    expect(ledger).toMatchObject({ acked: broadcasts, delivered: 31 * broadcasts, lost: 0 });
  });

  it('that is cut for longer than the lease', async () => {
    const network = await Network.open(place, 2);
    const [{ flags }] = await Promise.all([network.target(), network.shard('s1'), network.shard('s2')]);
    const driver = network.drive(['run', 'latency', ...latencyFlags(31, 4999), '--lease', '10s', ...flags], ['s1', 's2']);
    await driver.said('stderr', / publish /);
    await delay(2000);
    const cutAt = performance.now();
    network.cut('s2', 'control');
    void driver.ended.then(() => console.log('ended after', performance.now() - cutAt));
    await delay(20_000);
    network.heal('s2', 'control');
    const ended = await driver.ended;
    const result = soundResult(ended);
    const { stop, shards, ledger } = result;
    console.log(ended.code, JSON.stringify(stop), ended.stdout, ended.stderr, JSON.stringify(shards.map(({silences, state, why})=>({silences, state, why}))));
  });
});
