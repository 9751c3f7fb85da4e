import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { latencyFlags, soundResult } from '../../test/latency.js';
import { exitOf, filesIn, keptDirectory, workplace } from '../../test/workplace.js';
import { finding } from '../commands/search/find/schema.js';
import { optionsOf } from '../options/option.js';
import { comparison } from '../results/comparison.js';
import { runResult } from '../results/result.js';
import { runSchema } from '../run/plan/plan.js';
import { scenarios } from '../scenarios/list.js';
import { targets } from '../targets/list.js';

const place = workplace();

describe.concurrent('run', () => {
  it('prints one JSON document on stdout and all else on stderr; what it prints is what it keeps', async () => {
    const ended = await place.run(['run', 'latency', '--target', 'uws', ...latencyFlags(7, 11), '--json']);
    const kept = soundResult(ended);
    expect(runResult.parse(JSON.parse(ended.stdout))).toEqual(kept);
    expect(ended.stderr).toMatch(/ ramp\b.*\n(.*\n)*.* publish .*\n(.*\n)*kept in /);
    expect(ended.code).toBe(exitOf(kept));
    expect(filesIn(keptDirectory(ended))).toEqual([
      'result.json',
      'samples',
      ...Object.keys(kept.metrics)
        .map((metric) => `samples/${metric}.bin`)
        .sort(),
    ]);
    const shown = await place.run(['show', keptDirectory(ended)]);
    expect(shown).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('77 = 77 delivered + 0 lost') });
    const shownAsJson = await place.run(['show', keptDirectory(ended), '--json']);
    expect(JSON.parse(shownAsJson.stdout)).toEqual(kept);
  });

  it('takes values from flags, environment, file and defaults, remembers which, and keeps no secret', async () => {
    const secret = 'prime-7919';
    const runners = await Promise.all([7, 11].map(() => place.benchRunner([], { RINGSIDE_TOKEN: secret })));
    const file = join(place.folder, 'job.yaml');
    writeFileSync(file, 'target: ws\nsubscribers: 13\nbroadcasts: 101\nwarmUp: 3\ndrain: 5s\nrate: 5/s\n');
    const ended = await place.run(['run', 'latency', '--file', file, '--broadcasts', '17', '--json'], {
      SHARDS: runners.map(({ port }) => `http://127.0.0.1:${port}`).join(','),
      RINGSIDE_TOKEN: secret,
      RINGSIDE_RATE: '50/s',
    });
    const { job, sources, shards, ledger } = soundResult(ended);
    expect(job.options).toMatchObject({ subscribers: 13, broadcasts: 17, ratePerSecond: 50, payloadBytes: 200 });
    expect(sources).toMatchObject({
      broadcasts: 'flag',
      subscribers: 'file',
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

  it('runs the real client libraries', async () => {
    const ended = await place.run([
      'run',
      'latency',
      '--target',
      'socketio',
      '--client',
      'library',
      ...latencyFlags(7, 11),
    ]);
    const { target, ledger } = soundResult(ended);
    expect(target.client).toBe('library');
    expect(ledger).toMatchObject({ acked: 11, delivered: 77, lost: 0 });
  });
});

describe.concurrent('compare', () => {
  it('interleaves the repeats of what can be started, and keeps a row for what cannot', async () => {
    const names = ['ws', 'anycable', 'socketio'].flatMap((name) => ['--target', name]);
    const flags = [...names, '--repeat', '2', ...latencyFlags(7, 11), '--json'];
    const ended = await place.run(['compare', 'latency', ...flags], { ANYCABLE_GO_BIN: '/nowhere/anycable-go' });
    const { rows, fingerprint, repeat } = comparison.parse(JSON.parse(ended.stdout));
    expect(repeat).toBe(2);
    expect(rows).toMatchObject([
      { target: 'ws', state: 'ran', why: '' },
      { target: 'anycable', state: 'notAvailable', why: expect.stringContaining('/nowhere/anycable-go'), runs: [] },
      { target: 'socketio', state: 'ran', why: '' },
    ]);
    const results = rows.flatMap((row) => row.runs.map((run) => run.result));
    const inTime = results.toSorted((a, b) => Date.parse(a.startedAt) - Date.parse(b.startedAt));
    expect(inTime.map(({ target }) => target.name)).toEqual(['ws', 'socketio', 'ws', 'socketio']);
    expect(new Set(results.map((result) => result.fingerprint))).toEqual(new Set([fingerprint]));
    expect(results.map(({ ledger }) => ledger.delivered)).toEqual([77, 77, 77, 77]);
    const shown = await place.run(['show', keptDirectory(ended)]);
    expect(shown).toMatchObject({ code: 0, stderr: '' });
    for (const name of ['ws', 'anycable', 'socketio', 'not available']) expect(shown.stdout).toContain(name);
    for (const { directory } of rows.flatMap((row) => row.runs)) {
      expect(await place.run(['show', directory])).toMatchObject({ code: 0, stderr: '' });
    }
  });

  it('is no success when nothing could be started', async () => {
    const env = { ANYCABLE_GO_BIN: '/nowhere/anycable-go' };
    const ended = await place.run(['compare', 'latency', '--target', 'anycable', ...latencyFlags(7, 11)], env);
    expect(ended).toMatchObject({ code: 2, stdout: expect.stringContaining('not available') });
  });
});

describe.concurrent('what else can be asked', () => {
  const said = async (args: string[]): Promise<string> => {
    const ended = await place.run(args);
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    return ended.stdout;
  };

  it.each(scenarios)('run $name --help shows every flag with its environment variable', async (scenario) => {
    const help = await said(['run', scenario.name, '--help']);
    expect(help).toContain('--file <path>');
    for (const { flag, env } of optionsOf(runSchema(scenario))) {
      expect(help).toContain(`--${flag}`);
      expect(help).toContain(`[${env}`);
    }
  });

  it('list names all that there is', async () => {
    const names = JSON.parse(await said(['list', 'targets', '--json'])) as { name: string }[];
    expect(names.map(({ name }) => name)).toEqual(targets.map(({ name }) => name));
    expect(await said(['list', 'targets'])).toMatch(/^refuse-publish=share +0 /m);
    expect(await said(['list', 'scenarios'])).toContain('latency');
    expect(await said(['list', 'protocols'])).toContain('ws-json');
  });

  it('doctor says what each target lacks here', async () => {
    const report = await said(['doctor']);
    for (const { name } of targets) expect(report).toMatch(new RegExp(`^${name} +(ready|not available) +\\S`, 'm'));
    expect(report).toContain('file descriptors');
  });

  it('find takes no promise beside its limit, as none would set its exit code', async () => {
    const flags = ['--target', 'ws', '--limit', 'handshake.p99<1s', '--threshold', 'failed==0'];
    const refused = await place.run(['find', 'connect', ...flags]);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain("unknown option '--threshold'");
  });

  it('find ends with its first run where nobody is at the address, and says which rate broke nothing', async () => {
    const nobody = ['--target-url', 'ws://127.0.0.1:1/ws', '--protocol', 'ws-json', '--limit', 'handshake.p90<1s'];
    const ended = await place.run(['find', 'connect', ...nobody, '--connections', '101', '--json']);
    const found = finding.parse(JSON.parse(ended.stdout));
    expect(found).toMatchObject({ highestKept: null, lowestBroken: null, points: [{ stop: 'targetUnreachable' }] });
    expect(found.endedBecause).toMatch(/^target unreachable: .*connect-refused/);
    expect(ended.code).toBe(4);
  });

  it('find ends with its first run where nothing is delivered', async () => {
    const silent = ['--target', 'metronome', '--target-option', 'drop=1', '--limit', 'delivery.p50<1s'];
    const load = ['--subscribers', '7', '--broadcasts', '23', '--rate', '101/s', '--drain', '200ms', '--json'];
    const ended = await place.run(['find', 'latency', ...silent, ...load]);
    const found = finding.parse(JSON.parse(ended.stdout));
    expect(found).toMatchObject({ highestKept: null, lowestBroken: null, points: [{ stop: 'nothingDelivered' }] });
    expect(ended.code).toBe(4);
  });

  it.each(['result', 'comparison', 'job', 'calibration'])('schema %s is a JSON schema', async (what) => {
    expect(JSON.parse(await said(['schema', what]))).toMatchObject({ type: 'object', additionalProperties: false });
  });
});
