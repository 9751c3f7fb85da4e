import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Command } from '../../../test/command.js';
import { ControlGroup } from '../../../test/control-group.js';
import { latencyFlags, soundResult } from '../../../test/latency.js';
import { canDrill, Network } from '../../../test/network.js';
import { exitOf, workplace } from '../../../test/workplace.js';

const place = workplace();
const subscribers = 31;
const pauseMs = 5003;
/** What was under way as the shard was paused is answered long after it was sent. */
const patience = ['--publish-timeout', '2m', '--lease', '2m'];

/** A run over two shards, and what becomes of it when the second dies in the publishing. */
async function withoutSecond(
  kill: (shard: Command, net: Network) => unknown,
): Promise<{ net: Network; flags: string[] }> {
  const net = await Network.open(place, 2);
  const [{ flags }, , second] = await Promise.all([net.target(), net.shard('s1'), net.shard('s2')]);
  const more = ['--lease', '5s', ...flags];
  const driver = net.drive(['run', 'latency', ...latencyFlags(subscribers, 4999), ...more], ['s1', 's2']);
  await driver.said('stderr', / publish .* received [1-9]/);
  await kill(second, net);
  expect(await second.ended).toMatchObject({ signal: 'SIGKILL' });
  const ended = await driver.ended;
  const { stop, shards, ledger, verdict } = soundResult(ended);
  expect([ended.code, stop.code]).toEqual([5, 'shardLost']);
  expect(shards).toMatchObject([
    { state: 'partial', result: { stop: { code: 'endedByDriver' } } },
    { state: 'lost', result: null, lastSeen: { stage: 'publish' } },
  ]);
  // The reason names the shard wherever it is told, and the progress knew of it.
  expect(stop.evidence).toEqual([expect.stringContaining(net.urlOf('s2'))]);
  expect(ended.stdout).toContain(shards[1]?.why);
  expect(ended.stderr).toMatch(/shard 1 .*LOST in publish/);
  const { subscribers: seen = 0, received = 0 } = shards[1]?.lastSeen?.progress ?? {};
  expect(seen).toBe(15);
  expect(received).toBeGreaterThan(0);
  // What the other measured is whole.
  const count = Number(ledger.acked) * 16;
  expect(ledger).toMatchObject({ expected: count, delivered: count, lost: 0 });
  const rules = verdict.evidence.map(({ rule }) => rule);
  expect(rules.filter((rule) => rule.startsWith('nothing-'))).toEqual([]);
  return { net, flags };
}

describe.runIf(canDrill('a killed or paused shard'))('a shard that', { concurrent: true }, () => {
  it('is killed: the others and what it had told are in the result', async () => {
    await withoutSecond((shard) => shard.kill('SIGKILL'));
  });

  it('is killed and started again: the new process is known as another one, and takes the next run', async () => {
    const { net, flags } = await withoutSecond(async (shard, at) => {
      shard.kill('SIGKILL');
      await shard.ended;
      await at.shard('s2');
    });
    const next = await net.drive(['run', 'latency', ...latencyFlags(7, 101), ...flags], ['s2']).ended;
    expect(soundResult(next).ledger).toMatchObject({ acked: 101, delivered: 707, lost: 0 });
  });

  it('gets SIGTERM, as in a rollout: its part is fetched, and its successor takes the next run', async () => {
    const net = await Network.open(place, 2);
    const [{ flags }, , second] = await Promise.all([net.target(), net.shard('s1'), net.shard('s2')]);
    const driver = net.drive(['run', 'latency', ...latencyFlags(subscribers, 4999), ...flags], ['s1', 's2']);
    await driver.said('stderr', / publish .* received [1-9]/);
    second.kill('SIGTERM');
    expect(await second.ended).toMatchObject({ code: 0, signal: null });
    const ended = await driver.ended;
    const { stop, shards } = soundResult(ended);
    expect([ended.code, stop.code]).toEqual([5, 'shardEnded']);
    expect(shards.map(({ state }) => state)).toEqual(['partial', 'partial']);
    for (const { result } of shards) expect(result?.samples.delivery?.count).toBeGreaterThan(0);
    await net.shard('s2');
    const next = await net.drive(['run', 'latency', ...latencyFlags(7, 101), ...flags], ['s1', 's2']).ended;
    expect(soundResult(next).ledger).toMatchObject({ acked: 101, delivered: 707, lost: 0 });
  });

  it('is paused for five seconds: nothing is lost, and the verdict names it', async () => {
    const net = await Network.open(place, 2);
    const [{ flags }, , second] = await Promise.all([net.target(), net.shard('s1'), net.shard('s2')]);
    const driver = net.drive(
      ['run', 'latency', ...latencyFlags(subscribers, 499), ...patience, ...flags],
      ['s1', 's2'],
    );
    await driver.said('stderr', / publish /);
    await delay(1009);
    second.kill('SIGSTOP');
    await delay(pauseMs);
    second.kill('SIGCONT');
    const ended = await driver.ended;
    const result = soundResult(ended);
    expect([ended.code, result.stop.code]).toEqual([exitOf(result), 'completed']);
    expect(result.ledger).toMatchObject({ acked: 499, delivered: subscribers * 499, lost: 0 });
    const { evidence, doubts = [] } = result.verdict;
    expect(evidence.find(({ rule }) => rule === 'rig-paused')?.text).toContain('shard 1 ');
    expect(doubts.map(({ rule }) => rule)).toContain('publish-lag');
  });
});

const canLimit = canDrill('a shard out of memory', { 'a memory cgroup of version 1': ControlGroup.isThere('memory') });

describe.runIf(canLimit)('a shard that runs out of memory', () => {
  it('is killed by the kernel: the others and what it had told are in the result', async () => {
    // What a process has stays with its old group: a few megabytes more are too much.
    const group = new ControlGroup('memory', { 'memory.limit_in_bytes': '4000000' });
    await withoutSecond(({ pid }) => group.take(pid)).finally(() => group.remove());
  });
});
