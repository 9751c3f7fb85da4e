import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RunResult } from '../contract/result.js';
import type { StopCode } from '../contract/stop-reasons.js';
import { wallSigns } from '../targets/observe/evidence.js';
import { built } from '../testing/built.js';
import { capacityBooks, heldResult, idleFlags } from '../testing/capacity.js';
import type { Ended } from '../testing/command.js';
import { targetFlags } from '../testing/latency.js';
import { keptResult, type Served, workplace } from '../testing/workplace.js';

const place = workplace();
let files = 0;

/** A file of this test alone. */
function written(text: string, mode = 0o600): string {
  const path = join(place.folder, `file-${files++}`);
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

/** Runs against a metronome in the place of anycable-go, which the driver starts and so sees from inside; `setUp` is shell text that comes first. */
function standIn(walls: string[], flags: string[], setUp = ':'): Promise<Ended> {
  const metronome = `exec '${process.execPath}' '${built('servers/metronome/main.js')}' --protocol=anycable`;
  // Of the flags that anycable-go takes it knows three.
  const known = `for each; do shift; case "$each" in --host=*|--port=*|--version) set -- "$@" "$each";; esac; done`;
  const start = `#!/bin/sh\n${setUp}\n${known}\n${metronome} ${walls.join(' ')} "$@"\n`;
  const env = { ANYCABLE_GO_BIN: written(start, 0o700) };
  return place.run(['run', ...flags, '--target', 'anycable'], env);
}

const connectFlags = (connections: number, more: string[] = []): string[] => [
  ...['connect', '--connections', String(connections), '--rate', '211/s', '--stall', '1s'],
  ...more,
];

/** Held against what every run of connections keeps: books that foot, and its stop reason with the counts. */
function stoppedBy(code: StopCode, result: RunResult): RunResult['stop'] {
  expect(result.stop.code, result.stop.evidence.join('; ')).toBe(code);
  expect(result.verdict.evidence.map(({ rule }) => rule)).not.toContain('ledger-broken');
  return result.stop;
}

const shardAt = ({ port }: Served): string[] => ['--shard', `http://127.0.0.1:${port}`];

describe.runIf(process.platform === 'linux')('a wall that was seen in the target', () => {
  it('is its memory, at the limit that it was given', async () => {
    const limit = ['--target-memory', '61mib', '--connect-timeout', '5003ms'];
    const ended = await standIn(['--keep=1mib', '--take=61', '--wall=mute'], ['idle', ...idleFlags(101, limit)]);
    const result = heldResult(ended);
    const { evidence } = stoppedBy('memoryWall', result);
    expect(evidence).toEqual([
      '101 asked, 61 opened, 61 held',
      'not opened: connect-timeout × 40',
      expect.stringMatching(/^memory of the target was [\d.]+ MB of 64 MB at /),
    ]);
    expect(capacityBooks(result)).toMatchObject({ peak: 61, held: 61, proven: 61, lost: 0 });
    expect(result.verdict.rig).not.toBe('void');
  });

  it('is its memory, beside the signal that ended it', async () => {
    const driver = place.ringside([
      ...['run', 'idle', '--target', 'ws', ...idleFlags(31, ['--hold', '1m']), '--target-memory', '1mb'],
    ]);
    await driver.said('stderr', / hold .*subscribers 31/);
    process.kill(driver.family('servers/ws/main.js').at(-1)?.pid ?? 0, 'SIGKILL');
    const { evidence } = stoppedBy('targetGone', heldResult(await driver.ended));
    expect(evidence).toEqual([
      expect.stringMatching(/^the target process \d+ ended by itself \(signal SIGKILL\)$/),
      expect.stringMatching(/^memory of the target was [\d.]+ MB of 1 MB at /),
    ]);
  });

  it('is its file descriptors', async () => {
    // Long enough at the wall for several readings.
    const ended = await standIn([], connectFlags(211, ['--rate', '101/s']), 'ulimit -n 64');
    const result = keptResult(ended);
    const { evidence } = stoppedBy('targetDescriptors', result);
    expect(evidence.at(-1)).toMatch(/^the target of process \d+ had 6\d of 64 file descriptors open at /);
    const { opened, failed } = result.ledger as Record<string, number>;
    expect([opened! > 0, opened! < 64, opened! + failed!]).toEqual([true, true, 211]);
  });

  it('is its accept queue, while it takes nobody out', async () => {
    const ended = await standIn(
      ['--backlog=1', '--take=31', '--wall=freeze'],
      connectFlags(101, ['--connect-timeout', '5003ms']),
    );
    const { evidence } = stoppedBy('acceptOverflow', keptResult(ended));
    expect(evidence).toEqual([
      '101 asked, 31 opened, 31 held',
      'not opened: connect-timeout × 70',
      expect.stringMatching(/^accept queues of the host overflowed in \d+ of \d+ intervals/),
    ]);
  });

  it('is the one core that its thread can have, while others are idle', async ({ skip }) => {
    const spin = () =>
      standIn(['--take=31', '--wall=spin'], connectFlags(101, ['--connect-timeout', '2s', '--stall', '2s']));
    for (let attempt = 1; attempt <= 3; attempt++) {
      const result = keptResult(await spin());
      if (wallSigns(result.environment.observations, {}).some(({ wall }) => wall === 'corePinned')) {
        const { evidence } = stoppedBy('corePinned', result);
        expect(evidence.slice(0, 2)).toEqual(['101 asked, 31 opened, 31 held', 'not opened: connect-timeout × 70']);
        expect(evidence[2]).toMatch(/^one thread of process \d+ took [\d %,]+ of a core in its last 3 intervals, /);
        return;
      }
      stoppedBy('handshakeTimeouts', result);
    }
    skip('other programs had the cores of this machine, three times');
  });
});

describe('a wall that is not the target’s', () => {
  it('is one at which all shards stop at one count', async () => {
    const one = ['--local-shards', '2', '--workers', '1', '--concurrency', '1', '--rate', '1009/s'];
    const result = keptResult(await standIn(['--together=2', '--take=62', '--wall=mute'], connectFlags(101, one)));
    const { evidence } = stoppedBy('uniformCeiling', result);
    expect(evidence).toEqual(['101 asked, 62 opened, 62 held', 'not opened: connect-timeout × 2']);
    expect(result.shards.map(({ result: part }) => part?.counts.opened)).toEqual([31, 31]);
    expect(result.verdict.rig).toBe('void');
    expect(result.verdict.evidence).toContainEqual({
      rule: 'uniform-ceiling',
      level: 'limited',
      text: 'each of 2 shards stopped at exactly 31 clients',
    });
  });

  it('is none of that kind where the target says no to each at one count', async () => {
    const one = ['--local-shards', '2', '--workers', '1', '--concurrency', '1', '--rate', '1009/s'];
    const result = keptResult(await standIn(['--together=2', '--take=62'], connectFlags(101, one)));
    stoppedBy('refused', result);
    expect(result.shards.map(({ result: part }) => part?.counts.opened)).toEqual([31, 31]);
    expect(result.verdict.evidence.map(({ rule }) => rule)).not.toContain('uniform-ceiling');
  });

  it('is a worker that has no time left', async () => {
    const busy = written(
      `if (!require('node:worker_threads').isMainThread) { const spin = () => setImmediate(spin); spin(); }`,
    );
    const [target, runner] = await Promise.all([
      place.serve('servers/metronome/main.js', ['--take=31', '--wall=mute']),
      place.benchRunner([], { NODE_OPTIONS: `--require=${busy}` }),
    ]);
    const ended = await place.run(['run', ...connectFlags(101), ...targetFlags(target), ...shardAt(runner)]);
    const result = keptResult(ended);
    const { evidence } = stoppedBy('rigSaturated', result);
    expect(evidence.at(-1)).toMatch(/^shard 0 worker 0 was busy \d+ % of the time$/);
    expect([ended.code, result.verdict.rig]).toEqual([4, 'void']);
  });

  it('is the time that the bench-runner gives a job', async () => {
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
    expect(stoppedBy('timeOver', result).evidence).toEqual(["the job's deadline of 11000 ms passed"]);
    expect([ended.code, result.verdict.rig]).toEqual([4, 'void']);
    expect(result.ledger).toMatchObject({ asked: 101, opened: 31 });
  });
});

describe('a target that takes nobody', () => {
  it('is not held for the time of a hold', async () => {
    const target = await place.serve('servers/metronome/main.js', ['--take=0', '--wall=close']);
    const flags = idleFlags(53, ['--settle', '10m', '--hold', '30m', '--local-shards', '2']);
    const result = heldResult(await place.run(['run', 'idle', ...targetFlags(target), ...flags]));
    const { evidence } = stoppedBy('refused', result);
    expect(evidence).toEqual(['53 asked, 0 opened, 0 held', 'not opened: close-code:1013 × 53']);
    expect(result.verdict.evidence.map(({ rule }) => rule)).toContain('nothing-connected');
    expect(result.environment.elapsedMs).toBeLessThan(600_000);
  });
});

describe('an address at which there is no target', () => {
  it.each([
    ['no server listens', 'ws', 'connect-refused × 53', 'does a server listen at that host and port?'],
    ['a server speaks no TLS', 'wss', 'tls:', 'is it wss:// there, or ws://?'],
  ])('is told as that where %s, and is no wall', async (_, scheme, cause, advice) => {
    const target = await place.serve('servers/metronome/main.js');
    if (scheme === 'ws') {
      target.command.kill('SIGKILL');
      await target.command.ended;
    }
    const to = ['--target-url', `${scheme}://127.0.0.1:${target.port}/ws`, '--protocol', 'ws-json'];
    const ended = await place.run(['run', 'connect', ...to, '--connections', '53', '--rate', '211/s', '--stall', '1s']);
    const { evidence } = stoppedBy('targetUnreachable', keptResult(ended));
    expect(evidence.join('; ')).toContain(`not opened: ${cause}`);
    expect(ended.stdout).toContain(advice);
    expect(ended.code).toBe(4);
  });
});
