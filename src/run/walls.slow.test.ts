import { describe, expect, it } from 'vitest';
import { capacityBooks, heldResult, idleFlags } from '../../test/capacity.js';
import { targetFlags } from '../../test/latency.js';
import { subscribed } from '../../test/live.js';
import { connectFlags, place, shardAt, standIn, stoppedBy, written } from '../../test/runs/wall.js';
import { keptResult, voidedBy } from '../../test/workplace.js';
import { adviceOn } from '../contract/stop-reasons.js';
import type { RunResult } from '../results/result.js';
import { wallSigns } from '../targets/observe/evidence.js';

/** Checks who was taken of 101: a target that stopped may have left some of its own without a confirmation. */
function expectTaken(taken: number, { ledger, stop }: RunResult): void {
  const { 'subscribe-timeout': unconfirmed = 0, ...others } = ledger.failedByCause as Record<string, number>;
  const opened = taken - unconfirmed;
  expect(others).toEqual({ 'connect-timeout': 101 - taken });
  expect(ledger).toMatchObject({ asked: 101, opened, lost: 0 });
  expect(stop.evidence[0]?.match(/\d+/g)?.map(Number)).toEqual([101, opened, opened]);
  expect(stop.evidence[1]).toContain(`connect-timeout × ${101 - taken}`);
}

describe.runIf(process.platform === 'linux')('a wall that was seen in the target', () => {
  it('is its memory, at the limit that it was given', async () => {
    const limit = ['--target-memory', '61mib', '--connect-timeout', '5003ms'];
    const ended = await standIn(['--keep=1mib', '--take=61', '--wall=mute'], ['idle', ...idleFlags(101, limit)]);
    const result = heldResult(ended);
    const { evidence } = stoppedBy('memoryWall', result);
    expect(evidence).toEqual([
      expect.stringMatching(/\b101\b.*\b61\b.*\b61\b/),
      expect.stringContaining('connect-timeout × 40'),
      expect.stringMatching(/\b64 MB\b/),
    ]);
    expect(capacityBooks(result)).toMatchObject({ peak: 61, held: 61, proven: 61, lost: 0 });
    expect(voidedBy(result)).toEqual([]);
  });

  it('is its memory, beside the signal that ended it', async () => {
    const driver = place.ringside([
      ...['run', 'idle', '--target', 'ws', '--watch', ...idleFlags(31, ['--duration', '1m']), '--target-memory', '1mb'],
    ]);
    await subscribed(driver, 'hold', 31);
    process.kill(driver.family('servers/ws/main.js').at(-1)?.pid ?? 0, 'SIGKILL');
    const { evidence } = stoppedBy('targetGone', heldResult(await driver.ended));
    expect(evidence).toEqual([expect.stringMatching(/\b\d+\b.*SIGKILL/), expect.stringMatching(/\b1 MB\b/)]);
  });

  it('is its file descriptors', async () => {
    // Long enough at the wall for several readings.
    const ended = await standIn([], connectFlags(211, ['--rate', '101/s']), 1, 'ulimit -n 128');
    const result = keptResult(ended);
    const { evidence } = stoppedBy('targetDescriptors', result);
    expect(evidence.at(-1)).toMatch(/\b12\d\b.*\b128\b/);
    const { opened, failed } = result.ledger as Record<string, number>;
    expect([opened! > 0, opened! < 128, opened! + failed!]).toEqual([true, true, 211]);
  });

  it('is its accept queue, while it takes nobody out', async () => {
    const ended = await standIn(
      ['--backlog=1', '--take=31', '--wall=freeze'],
      connectFlags(101, ['--connect-timeout', '5003ms']),
    );
    const result = keptResult(ended);
    const { evidence } = stoppedBy('acceptOverflow', result);
    expectTaken(31, result);
    expect(evidence.slice(2)).toEqual([expect.stringMatching(/overflow.* \d+ of \d+ /)]);
  });

  it('is the one core that its thread can have, where it had one', async () => {
    const flags = connectFlags(101, ['--connect-timeout', '2s', '--stall', '2s']);
    const result = keptResult(await standIn(['--take=31', '--wall=spin'], flags));
    const isSeen = wallSigns(result.environment.observations, {}).some(({ wall }) => wall === 'corePinned');
    // Programs that take the core from the target take the sign with it.
    const { evidence } = stoppedBy(isSeen ? 'corePinned' : 'handshakeTimeouts', result);
    expectTaken(31, result);
    expect(evidence.slice(2)).toEqual(
      isSeen ? [expect.stringMatching(/^one thread of process \d+ took [\d %,]+ /)] : [],
    );
  });
});

it('a wall that is not the target’s is none of that kind where the target says no to each at one count', async () => {
  // A stall of one second would end the ramp on a busy machine.
  const one = ['--workers', '1', '--concurrency', '1', '--rate', '1009/s', '--stall', '7s'];
  const result = keptResult(await standIn(['--together=2', '--take=62'], connectFlags(101, one), 2));
  stoppedBy('refused', result);
  expect(result.shards.map(({ result: part }) => part?.counts.opened)).toEqual([31, 31]);
  expect(result.verdict.evidence.map(({ rule }) => rule)).not.toContain('uniform-ceiling');
});

it('a wall that is not the target’s is a worker that has no time left', async () => {
  const busy = written(
    `if (!require('node:worker_threads').isMainThread) { const spin = () => setImmediate(spin); spin(); }`,
  );
  const [target, runner] = await Promise.all([
    place.serve('servers/metronome/main.js', ['--take=31', '--wall=mute']),
    place.benchRunner([], { NODE_OPTIONS: `--require=${busy}` }),
  ]);
  const ended = await place.run(['run', ...connectFlags(101), ...targetFlags(target), ...shardAt(runner)]);
  const result = keptResult(ended);
  expect(stoppedBy('rigSaturated', result).evidence.at(-1)).toMatch(/\bshard 0 worker 0\b.*\b\d+ %/);
  expect([ended.code, result.verdict.rig]).toEqual([4, 'void']);
});

it('a wall that is not the target’s is the time that the bench-runner gives a job', async () => {
  const [target, runner] = await Promise.all([
    place.serve('servers/metronome/main.js', ['--take=31', '--wall=mute']),
    place.benchRunner(['--max-duration', '11s']),
  ]);
  // Planned by the rate, which a bound of handshakes under way does not keep.
  const slow = ['--concurrency', '1', '--rate', '100009/s', '--stall', '1m'];
  const timeouts = ['--connect-timeout', '2s', '--subscribe-timeout', '2s'];
  const flags = [...connectFlags(101, [...slow, ...timeouts]), ...targetFlags(target), ...shardAt(runner)];
  const ended = await place.run(['run', ...flags]);
  const result = keptResult(ended);
  expect(stoppedBy('timeOver', result).evidence).toEqual([expect.stringContaining('11000')]);
  expect([ended.code, result.verdict.rig]).toEqual([4, 'void']);
  expect(result.ledger).toMatchObject({ asked: 101, opened: 31 });
});

it.each([
  ['no server listens', 'ws', 'connect-refused × 53'],
  ['a server speaks no TLS', 'wss', 'tls:'],
])('an address at which there is no target is told as that where %s, and is no wall', async (_, scheme, cause) => {
  const target = await place.serve('servers/metronome/main.js');
  if (scheme === 'ws') {
    target.command.kill('SIGKILL');
    await target.command.ended;
  }
  const to = ['--target-url', `${scheme}://127.0.0.1:${target.port}/ws`, '--protocol', 'ws-json'];
  const ended = await place.run(['run', 'connect', ...to, '--clients', '53', '--rate', '211/s', '--stall', '1s']);
  const { evidence, advice } = stoppedBy('targetUnreachable', keptResult(ended));
  expect(evidence.join('; ')).toContain(cause);
  expect(advice).toMatch(/./);
  expect(advice).toBe(adviceOn('targetUnreachable', scheme === 'ws' ? 'connect-refused' : 'tls:', 'ws-json'));
  expect(ended.code).toBe(4);
});

it('a wall that is not the target’s is one at which all shards stop at one count', async () => {
  // A stall of one second would end the ramp on a busy machine; however long, one ends it before others start.
  const one = ['--workers', '1', '--concurrency', '1', '--rate', '1009/s', '--stall', '7s'];
  const result = keptResult(await standIn(['--together=2', '--take=62', '--wall=mute'], connectFlags(101, one), 2));
  expect(stoppedBy('uniformCeiling', result).evidence).toEqual([
    expect.stringMatching(/\b101\b.*\b62\b.*\b62\b/),
    expect.stringContaining('connect-timeout × 2'),
  ]);
  expect(result.ledger).toMatchObject({ asked: 101, started: 64, opened: 62, failed: 2, lost: 0 });
  expect(result.ledger.failedByCause).toEqual({ 'connect-timeout': 2 });
  expect(result.shards.map(({ result: part }) => part?.counts.opened)).toEqual([31, 31]);
  expect(result.verdict.rig).toBe('void');
  const ceiling = { rule: 'uniform-ceiling', level: 'limited', text: expect.stringMatching(/\b31\b/) };
  expect(result.verdict.evidence).toContainEqual(ceiling);
});
