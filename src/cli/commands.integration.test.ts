import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { latencyFlags, soundResult } from '../../test/latency.js';
import { exitOf, filesIn, keptDirectory, workplace } from '../../test/workplace.js';
import { comparison } from '../results/comparison.js';
import { recomputedRun } from '../results/recheck.js';
import { runResult } from '../results/result.js';
import { finding } from '../results/search.js';
import { blockFile, readBlocks } from '../results/store.js';

const place = workplace();

describe.concurrent('run', () => {
  it('prints one JSON document on stdout and all else on stderr; what it prints is what it keeps', async () => {
    const ended = await place.measure(['run', 'latency', '--target', 'uws', ...latencyFlags(7, 11), '--json']);
    const kept = soundResult(ended);
    expect(runResult.parse(JSON.parse(ended.stdout))).toEqual(kept);
    expect(ended.stderr).toMatch(/ ramp\b.*\n(.*\n)*.* publish .*\n(.*\n)*.*\/results\//);
    expect(ended.code).toBe(exitOf(kept));
    const samples = Object.keys(kept.metrics).map((metric) => `samples/${metric}.bin`);
    const deliveries = ['delivery', 'deliveryFromIntended', 'deliveryAtLeast'];
    const blocks = [...deliveries, 'publishAck', 'publishAckAtLeast'].map(blockFile);
    const files = ['blocks', ...blocks.sort(), 'result.json', 'samples', ...samples.sort()];
    expect(filesIn(keptDirectory(ended))).toEqual(files);
    expect(Object.values(kept.blocks ?? {}).map(({ count }) => count)).toEqual([11, 11, 11, 11, 11]);
    expect(Object.keys(kept.metrics.delivery?.intervals ?? {})).toEqual(['p50']);
    expect(recomputedRun(kept, await readBlocks(keptDirectory(ended), kept))).toEqual(kept);
    expect(await place.run(['show', keptDirectory(ended)])).toMatchObject({ code: 0, stderr: '' });
    const shownAsJson = await place.run(['show', keptDirectory(ended), '--json']);
    expect(JSON.parse(shownAsJson.stdout)).toEqual(kept);
  });

  it('takes values from flags, environment, file and defaults, remembers which, and keeps no secret', async () => {
    const secret = 'prime-7919';
    const runners = await Promise.all([7, 11].map(() => place.benchRunner([], { RINGSIDE_TOKEN: secret })));
    const file = join(place.folder, 'job.yaml');
    writeFileSync(file, 'target: ws\nclients: 13\nbroadcasts: 101\nwarmUp: 3\ndrain: 5s\nrate: 5/s\n');
    const ended = await place.run(['run', 'latency', '--file', file, '--broadcasts', '17', '--json'], {
      SHARDS: runners.map(({ port }) => `http://127.0.0.1:${port}`).join(','),
      RINGSIDE_TOKEN: secret,
      RINGSIDE_RATE: '50/s',
    });
    const { job, sources, shards, ledger } = soundResult(ended);
    expect(job.options).toMatchObject({ clients: 13, broadcasts: 17, ratePerSecond: 50, payloadBytes: 200 });
    expect(sources).toMatchObject({
      broadcasts: 'flag',
      clients: 'file',
      warmUp: 'file',
      ratePerSecond: 'environment',
      shards: 'environment',
      payloadBytes: 'default',
    });
    expect(shards.map(({ url, state }) => [url, state])).toEqual(
      runners.map(({ port }) => [`http://127.0.0.1:${port}`, 'complete']),
    );
    expect(ledger).toMatchObject({ acked: 17, delivered: 13 * 17 });
    expect(ended.stdout + ended.stderr).not.toContain(secret);
  });
});

describe.concurrent('compare', () => {
  it('is no success when nothing could be started', async () => {
    const env = { ANYCABLE_GO_BIN: '/nowhere/anycable-go' };
    const flags = ['--target', 'anycable', '--clients', '7', '--json'];
    const ended = await place.measure(['compare', 'latency', ...flags], 1, env);
    expect(ended.code).toBe(2);
    expect(comparison.parse(JSON.parse(ended.stdout)).rows).toMatchObject([{ state: 'notAvailable', runs: [] }]);
  });
});

describe.concurrent('what else can be asked', () => {
  it('find ends with its first run where nobody is at the address, and says which rate broke nothing', async () => {
    const nobody = ['--target-url', 'ws://127.0.0.1:1/ws', '--protocol', 'ws-json', '--limit', 'handshake.p90<1s'];
    const ended = await place.measure(['find', 'connect', ...nobody, '--duration', '500ms', '--json']);
    const found = finding.parse(JSON.parse(ended.stdout));
    expect(found).toMatchObject({ answer: 'undecided', points: [{ holds: 'open', stop: 'targetUnreachable' }] });
    expect(found.interval).toEqual([null, null]);
    expect(found.endedBecause).toContain('connect-refused');
    expect(ended.code).toBe(4);
  });
});
