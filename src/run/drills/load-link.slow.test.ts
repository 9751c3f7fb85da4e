import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { latencyFlags, soundResult } from '../../../test/latency.js';
import { canDrill, hasProgram, Network } from '../../../test/network.js';
import { exitOf, workplace } from '../../../test/workplace.js';
import { stalledShareOf, tcpOf } from '../../results/result.js';

const place = workplace();
const subscribers = 31;

/** Two shards that load one target. */
async function fleet(): Promise<{ net: Network; flags: string[]; shards: string[] }> {
  const net = await Network.open(place, 2);
  const [{ flags }] = await Promise.all([net.target(), net.shard('s1'), net.shard('s2')]);
  return { net, flags, shards: ['s1', 's2'] };
}

const run = (broadcasts: number, audience = subscribers) => ['run', 'latency', ...latencyFlags(audience, broadcasts)];

/** The figures of the deliveries that are marked as those of a lossy link. */
function lossyFigures({ verdict: { bounds = [] } }: ReturnType<typeof soundResult>) {
  const ofLink = bounds.filter(({ rule, metric }) => rule === 'link-lossy' && metric === 'delivery');
  return ofLink.map(({ figure }) => figure);
}

/** What is not acked, and how much of it has a cause. */
function unacked({ ledger, shards }: ReturnType<typeof soundResult>) {
  const causes = shards.flatMap(({ result }) => Object.values(result?.causes.publish ?? {}));
  const { refused = 0, failed = 0 } = ledger as Record<string, number>;
  return { counted: refused + failed, byCause: causes.reduce((sum, times) => sum + times, 0) };
}

describe.runIf(canDrill('a cut load link'))('a load link', () => {
  it('that is cut for 5 s: what is not acked has a cause, nothing else is lost, and the p99 is marked', async () => {
    const { net, flags, shards } = await fleet();
    const driver = net.drive([...run(997), ...flags], shards);
    await driver.said('stderr', / publish /);
    await delay(2003);
    net.cut('s2', 'load');
    await delay(5000);
    net.heal('s2', 'load');
    const result = soundResult(await driver.ended);
    expect(['completed', 'publishesShort']).toContain(result.stop.code);
    expect(result.shards.map(({ state }) => state)).toEqual(['complete', 'complete']);
    expect(result.ledger.lost).toBe(0);
    const { counted, byCause } = unacked(result);
    expect(byCause).toBe(counted);
    expect(tcpOf(result.shards)?.timeouts).toBeGreaterThan(0);
    expect(stalledShareOf(result.shards)).toBeGreaterThan(0);
    expect(lossyFigures(result)).toContain('p99');
  });

  it('behind which the target stands still and dies: zero windows and resets are in the result', async () => {
    const net = await Network.open(place, 1);
    const [{ flags, command }] = await Promise.all([net.target(), net.shard('s1')]);
    const driver = net.drive([...run(997, 3), ...flags, '--payload', '200kb'], ['s1']);
    await driver.said('stderr', / publish /);
    await delay(1511);
    command.kill('SIGSTOP');
    await delay(3000);
    command.kill('SIGKILL');
    const ended = await driver.ended;
    const result = soundResult(ended);
    expect([ended.code, result.stop.code]).toEqual([4, 'targetGone']);
    const { windowsProbed = 0, resets = 0 } = tcpOf(result.shards) ?? {};
    expect(windowsProbed).toBeGreaterThan(0);
    expect(resets).toBeGreaterThan(0);
    expect(result.shards[0]?.result?.causes.publish?.reset).toBeGreaterThan(0);
  });
});

const canDrop = canDrill('loss on a load link', { 'nft (apt-get install nftables)': hasProgram('nft') });

describe.runIf(canDrop)('a load link that loses 1 % of its packets', () => {
  it('loses no delivery: TCP counts are in the result, and the p99 is marked', async () => {
    const { net, flags, shards } = await fleet();
    const everyNth = 'iifname load-target meta protocol ip numgen inc mod 101 == 0 drop';
    net.shell(
      'switches',
      `nft add table bridge lossy
       nft add chain bridge lossy through '{ type filter hook forward priority 0; }'
       nft add rule bridge lossy through ${everyNth}`,
    );
    const ended = await net.drive([...run(997), ...flags], shards).ended;
    const result = soundResult(ended);
    expect(result.ledger).toMatchObject({ acked: 997, delivered: subscribers * 997, lost: 0 });
    const { sentAgain = 0, outOfOrder = 0 } = tcpOf(result.shards) ?? {};
    expect(sentAgain + outOfOrder).toBeGreaterThan(0);
    expect(lossyFigures(result)).toContain('p99');
    expect(ended.code).toBe(exitOf(result));
  });
});

const canShorten = canDrill('an MTU black hole', { 'ethtool (apt-get install ethtool)': hasProgram('ethtool') });
const unsplit = 'tso off gso off gro off tx off > /dev/null';
/** Carries no long packets, and tells nobody. */
const blackHole = `ip link set load-target mtu 1000; ethtool -K load-target ${unsplit}`;

describe.runIf(canShorten)('an MTU black hole', () => {
  it.each([
    ['before the run, ends it as soon as ten publishes fail', 0, 'publishFailed'],
    ['during the run, is a part of its publishes', 2003, 'publishesShort'],
  ])('%s', async (_when, afterMs, code) => {
    const { net, flags, shards } = await fleet();
    for (const machine of ['s1', 's2', 'target']) net.shell(machine, `ethtool -K load ${unsplit}`);
    if (afterMs === 0) net.shell('switches', blackHole);
    const long = ['--payload', '2000b', '--publish-timeout', '3s'];
    const driver = net.drive([...run(397), ...flags, ...long], shards);
    if (afterMs > 0) {
      await driver.said('stderr', / publish /);
      await delay(afterMs);
      net.shell('switches', blackHole);
    }
    const result = soundResult(await driver.ended);
    expect(result.stop.code).toBe(code);
    const { counted, byCause } = unacked(result);
    expect(byCause).toBe(counted);
    expect(result.ledger).toMatchObject({ refused: 0, lost: 0 });
    for (const { result: part } of result.shards) expect(part?.causes.publish?.['answer-timeout']).toBeGreaterThan(0);
    expect(tcpOf(result.shards)?.sentAgain).toBeGreaterThan(0);
  });
});

const canDelay = canDrill('a long way', { 'wirefilter (apt-get install vde2)': hasProgram('wirefilter') });
const eachWayMs = 20;

describe.runIf(canDelay)('a load link of 20 ms each way', () => {
  it('is in the least that each figure can be: it is no doubt', async () => {
    const { net, flags, shards } = await fleet();
    net.shell(
      'switches',
      'ip link add remote type bridge; ip link set remote up; ip link set load-target master remote',
    );
    const ends = ['load', 'remote'];
    const sockets = ends.map((bridge) => `${place.folder}/${bridge}`);
    for (const [n, bridge] of ends.entries()) {
      net.start('switches', 'vde_switch', ['-tap', `tap-${bridge}`, '-sock', sockets[n] ?? '']);
      net.shell('switches', `until ip link set tap-${bridge} master ${bridge} up 2> /dev/null; do sleep 0.1; done`);
    }
    net.start('switches', 'wirefilter', ['-v', sockets.join(':'), '-d', `${eachWayMs}`]);
    const ended = await net.drive([...run(397), ...flags], shards).ended;
    const result = soundResult(ended);
    expect([ended.code, result.stop.code]).toEqual([exitOf(result), 'completed']);
    expect(result.ledger).toMatchObject({ acked: 397, delivered: subscribers * 397, lost: 0 });
    expect(result.metrics.deliveryAtLeast?.p50).toBeGreaterThan(2 * eachWayMs * 1000 - 2000);
  });
});
