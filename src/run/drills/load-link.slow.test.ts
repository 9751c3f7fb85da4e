import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { tcpOf } from '../../results/result.js';
import { latencyFlags, soundResult } from '../../../test/latency.js';
import { canDrill, hasProgram, Network } from '../../../test/network.js';
import { exitOf, workplace } from '../../../test/workplace.js';

const place = workplace();
const subscribers = 31;

/** Two shards that load one target. */
async function network(): Promise<{ net: Network; flags: string[]; shards: string[] }> {
  const net = await Network.open(place, 2);
  const [{ flags }] = await Promise.all([net.target(), net.shard('s1'), net.shard('s2')]);
  return { net, flags, shards: ['s1', 's2'] };
}

const marksOf = ({ verdict }: ReturnType<typeof soundResult>, rule: string) =>
  (verdict.doubts ?? []).filter((each) => each.rule === rule);

describe.runIf(canDrill('a cut load link'))('a load link', () => {
  it('that is cut for 5 s loses no delivery, and the figures are marked as those of a lossy link', async () => {
    const { net, flags, shards } = await network();
    const driver = net.drive(['run', 'latency', ...latencyFlags(subscribers, 997), ...flags, '--drain', '20s'], shards);
    await driver.said('stderr', / publish /);
    await delay(2000);
    net.cut('s2', 'load');
    await delay(5000);
    net.heal('s2', 'load');
    const ended = await driver.ended;
    console.log(ended.code, ended.stdout, ended.stderr);
    const result = soundResult(ended);
    expect(result.stop.code).toBe('completed');
    expect(result.shards.map(({ state }) => state)).toEqual(['complete', 'complete']);
  });
});

const canDrop = canDrill('loss on a load link', { 'nft (apt-get install nftables)': hasProgram('nft') });

describe.runIf(canDrop)('a load link that loses 1 % of its packets', () => {
  it('loses no delivery: TCP counts are in the result, and the p99 is marked', async () => {
    const { net, flags, shards } = await network();
    net.shell(
      'switches',
      'nft add table bridge lossy;' +
        "nft add chain bridge lossy through '{ type filter hook forward priority 0; }';" +
        'nft add rule bridge lossy through iifname load-target meta protocol ip numgen inc mod 101 == 0 drop',
    );
    const driver = net.drive(['run', 'latency', ...latencyFlags(subscribers, 997), ...flags], shards);
    const ended = await driver.ended;
    console.log(ended.code, ended.stdout, ended.stderr);
    const result = soundResult(ended);
    expect(result.ledger).toMatchObject({ acked: 997, delivered: subscribers * 997, lost: 0 });
    const tcp = tcpOf(result.shards);
    expect((tcp?.sentAgain ?? 0) + (tcp?.outOfOrder ?? 0)).toBeGreaterThan(0);
    expect(marksOf(result, 'link-lossy').map(({ figure }) => figure)).toContain('p99');
    expect(ended.code).toBe(exitOf(result));
  });
});

const canShorten = canDrill('an MTU black hole', { 'ethtool (apt-get install ethtool)': hasProgram('ethtool') });

/** A switch port that carries no longer packets, and tells nobody. */
const blackHole = 'ip link set load-target mtu 1000; ethtool -K load-target tso off gso off gro off tx off > /dev/null';
const wholeSegments = 'ethtool -K load tso off gso off gro off tx off > /dev/null';

describe.runIf(canShorten)('an MTU black hole', () => {
  it.each(['before', 'mid'] as const)('%s the run', async (when) => {
    const { net, flags, shards } = await network();
    for (const machine of ['s1', 's2', 'target']) net.shell(machine, wholeSegments);
    const payload = ['--payload', '2000b', '--publish-timeout', '3s'];
    if (when === 'before') net.shell('switches', blackHole);
    const driver = net.drive(['run', 'latency', ...latencyFlags(subscribers, 397), ...flags, ...payload], shards);
    if (when === 'mid') {
      await driver.said('stderr', / publish /);
      await delay(2000);
      net.shell('switches', blackHole);
    }
    const ended = await driver.ended;
    console.log(ended.code, ended.stdout, ended.stderr);
  });
});
