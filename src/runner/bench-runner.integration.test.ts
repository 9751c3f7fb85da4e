import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { named } from '../../test/refusal.js';
import { jobTo, problemsOf, RunnerHttp, targetAt, textOf } from '../../test/runner-http.js';
import { workplace } from '../../test/workplace.js';
import { digestOf } from '../contract/job.js';
import { shardInfo, shardNow } from '../contract/shard.js';
import { decodeCounts, decodeSamples } from '../measure/samples/encoding.js';
import { sampleCount } from '../measure/samples/samples.js';
import { partFrom, rangeFrom } from '../run/shards/partial-body.js';

const place = workplace();
/** A second signal within a second counts as the same press. */
const anotherPressMs = 1100;
let runner: RunnerHttp;
let runnerPort: number;
let target: number;

const connections = async (): Promise<number> =>
  ((await (await fetch(`http://127.0.0.1:${target}/_stats`)).json()) as { connections: number }).connections;

const eventually = { timeout: 30_000 };
/** A job that is still publishing when the test has seen enough. */
const long = { clients: 7, broadcasts: 9973, ratePerSecond: 101, warmUp: 0, drainMs: 0 };

beforeAll(async () => {
  const limits = ['--max-clients', '101', '--max-rate', '101/s', '--max-payload', '1009b', '--max-duration', '101s'];
  const [bench, honest] = await Promise.all([
    place.benchRunner([...limits, '--max-body', '4kb']),
    place.serve('servers/metronome/main.js'),
  ]);
  runnerPort = bench.port;
  runner = new RunnerHttp(bench.port);
  target = honest.port;
});

it('a job goes from gate to gate, and what it measured can be fetched', async () => {
  const jobId = await runner.take(jobTo(target));
  expect(textOf(await runner.ask('GET', `/jobs/${jobId}/samples/delivery`))).toMatch(/"code":/);
  await runner.open(jobId, 'start');
  await runner.open(jobId, 'drain');
  const { result } = await runner.until(jobId, ({ state }) => state === 'done');
  expect(result).toMatchObject({
    slice: { index: 0, of: 1 },
    stop: { code: 'completed', evidence: [] },
    counts: { asked: 7, subscribers: 7, attempted: 11, received: 7 * 14, duplicate: 0 },
    samples: { delivery: { kind: 'raw', count: 77 }, connect: { count: 7 }, publishAck: { count: 11 } },
  });
  expect(result?.stages.map((stage) => stage.name)).toEqual(['ramp', 'publish', 'drain']);
  for (const [name, { count }] of Object.entries(result?.samples ?? {})) {
    const { body } = await runner.ask('GET', `/jobs/${jobId}/samples/${name}`);
    expect(sampleCount(decodeSamples(body)), name).toBe(count);
    expect(digestOf(body), name).toBe(result?.digests?.[name]);
  }
  const samples = `http://127.0.0.1:${runnerPort}/jobs/${jobId}/samples/delivery`;
  const [whole, rest] = await Promise.all([fetch(samples), fetch(samples, { headers: { range: rangeFrom(7) } })]);
  expect([whole.status, rest.status, partFrom(rest.headers.get('content-range'))]).toEqual([200, 206, 7]);
  expect(await rest.arrayBuffer()).toEqual((await whole.arrayBuffer()).slice(7));
  const delivered = decodeCounts((await runner.ask('GET', `/jobs/${jobId}/samples/delivered`)).body);
  expect([...delivered]).toEqual(new Array(11).fill(7));
});

it('a job runs beside those of the same paired comparison, and beside no other', async () => {
  const slots = { group: '5eed0013', seed: 7, rounds: 9973, slotsMs: [20, 20] };
  const jobIn = (place: number, group = slots.group) => ({
    ...jobTo(target, { options: long }),
    slots: { ...slots, place, group },
  });
  const both = await Promise.all([0, 1].map((place) => runner.take(jobIn(place))));
  for (const stranger of [jobTo(target), jobIn(1), jobIn(1, '5eed0017')]) {
    const refused = await runner.ask('POST', '/jobs', stranger);
    expect([refused.status, problemsOf(refused)]).toEqual([409, [named('shardBusy')]]);
  }
  for (const jobId of both) await runner.ask('DELETE', `/jobs/${jobId}`);
  for (const jobId of both) await runner.until(jobId, ({ state }) => state === 'done');
});

it('a job holds the bench-runner, which says so, and answers those who wait as soon as it is over', async () => {
  const holder = async (waitMs: number) =>
    shardNow.parse(JSON.parse(textOf(await runner.ask('GET', `/now?waitMs=${waitMs}`)))).holder;
  expect(await holder(10_000)).toBeNull();
  const jobId = await runner.take(jobTo(target, { options: long }));
  expect(await holder(101)).toMatchObject({ runId: '5eed0007', driver: 'a-test' });
  expect((await holder(0))?.heldMs).toBeGreaterThan(101);
  const waited = holder(10_000);
  await runner.ask('DELETE', `/jobs/${jobId}`);
  expect(await waited).toBeNull();
  expect((await runner.status(jobId)).state).toBe('done');
});

it('a job is the same one when it is posted again, and blocks every other one until it is cancelled', async () => {
  const job = jobTo(target, { options: long });
  const jobId = await runner.take(job);
  expect(await runner.take(job)).toBe(jobId);
  const another = await runner.ask('POST', '/jobs', { ...job, seed: 11 });
  expect([another.status, problemsOf(another)]).toEqual([409, [named('keyReused', jobId)]]);
  const refused = await runner.ask('POST', '/jobs', jobTo(target));
  expect([refused.status, problemsOf(refused)]).toEqual([409, [named('shardBusy', jobId, '5eed0007', 'a-test')]]);
  await runner.open(jobId, 'start');
  await runner.until(jobId, ({ progress }) => (progress.received ?? 0) > 0);
  expect((await runner.ask('DELETE', `/jobs/${jobId}`)).status).toBe(200);
  const { result } = await runner.until(jobId, ({ state }) => state === 'done');
  expect(result?.stop).toEqual({ code: 'endedByDriver', evidence: [] });
  expect(await connections()).toBe(0);
  const delivery = decodeSamples((await runner.ask('GET', `/jobs/${jobId}/samples/delivery`)).body);
  expect(sampleCount(delivery)).toBe(result?.samples.delivery?.count);
  expect(sampleCount(delivery)).toBeGreaterThan(0);
});

it('a job stops its load when the driver falls silent for longer than the lease', async () => {
  const jobId = await runner.take(jobTo(target, { options: long, load: { leaseMs: 5000 } }));
  await runner.open(jobId, 'start');
  await runner.until(jobId, ({ progress }) => (progress.received ?? 0) > 0);
  expect(await connections()).toBe(7);
  await expect.poll(connections, eventually).toBe(0);
  const { result } = await runner.until(jobId, ({ state }) => state === 'done');
  expect(result?.stop).toEqual({ code: 'interrupted', evidence: [expect.stringContaining('5000')] });
  expect(result?.samples.delivery?.count).toBeGreaterThan(0);
});

describe('an order that cannot be taken', () => {
  const ask = (job: unknown) => runner.ask('POST', '/jobs', job);

  it('lists everything that is wrong with it at once', async () => {
    const refused = await ask({
      ...jobTo(target, { runId: 'XYZ', slice: { index: 3, of: 2 } }),
      shards: 7,
      options: { clients: 0, ratePerSecond: 'fast' },
      load: { workers: 1.5 },
    });
    expect(refused.status).toBe(400);
    const problems = problemsOf(refused);
    const places = ['runId', 'slice', 'shards', 'options.clients', 'options.ratePerSecond', 'load.workers'];
    const all = problems.map(({ message }) => message).join('\n');
    for (const place of places) expect(all).toContain(place);
    expect(problems).toHaveLength(places.length);
  });

  it('is over a limit', async () => {
    const options = { clients: 103, broadcasts: 20_011, ratePerSecond: 103, payloadBytes: 1013 };
    const refused = await ask(jobTo(target, { options }));
    expect(refused.status).toBe(400);
    expect(problemsOf(refused)).toEqual([
      named('overLimit', 101, 103),
      named('overLimit', 101, 103),
      named('overLimit', 1009, 1013),
      named('overLimit', 101_000),
    ]);
  });

  it('is aimed at a stranger', async () => {
    const refused = await ask(jobTo(target, { target: targetAt('example.com') }));
    expect(refused.status).toBe(403);
    expect(problemsOf(refused)).toContainEqual(named('targetNotAllowed', 'example.com', 'loopback'));
    const inProcessUrl = 'http://example.net/_publish-in-process';
    const elsewhere = await ask(jobTo(target, { target: { ...targetAt(`127.0.0.1:${target}`), inProcessUrl } }));
    expect(problemsOf(elsewhere)).toEqual([named('targetNotAllowed', 'example.net')]);
  });

  it('is too long, or no JSON', async () => {
    expect((await ask(jobTo(target, { driver: 'x'.repeat(5000) }))).status).toBe(413);
    expect((await runner.ask('POST', '/jobs', undefined)).status).toBe(400);
  });

  it('speaks of a job, gate, metric or place that is not there', async () => {
    const jobId = await runner.take(jobTo(target));
    const none = await Promise.all([
      runner.ask('GET', '/jobs/none'),
      runner.ask('DELETE', '/jobs/none'),
      runner.ask('POST', `/jobs/${jobId}/gates/none`),
      runner.ask('GET', `/jobs/${jobId}/samples/none`),
      runner.ask('GET', `/jobs/${jobId}/sends`),
      runner.ask('GET', '/none'),
      runner.ask('POST', `/jobs/${jobId}/collected`),
    ]);
    expect(none.map(({ status }) => status)).toEqual(Array(7).fill(404));
    for (const answer of none) expect(problemsOf(answer)).toEqual([named('notFound')]);
    await runner.ask('DELETE', `/jobs/${jobId}`);
  });

  it('has an address that is none, or too long', async () => {
    for (const path of ['/jobs/%', `/jobs/${'x'.repeat(101)}`]) {
      const answer = await runner.ask('GET', path);
      expect(answer.status).toBeLessThan(500);
      expect(problemsOf(answer)).toEqual([named('badBody')]);
    }
  });
});

it('a bench-runner answers nobody without its token but those who ask for its health', async () => {
  const { port, command } = await place.benchRunner(['--allow-target', '127.0.0.1'], {
    RINGSIDE_TOKEN: 'prime-7919',
    RINGSIDE_LINGER: '0s',
  });
  const paths = [
    ['GET', '/info'],
    ['GET', '/jobs/none'],
    ['POST', '/jobs'],
    ['DELETE', '/jobs/none'],
    ['GET', '/none'],
  ] as const;
  for (const token of [undefined, 'Bearer prime-7907', 'prime-7919', 'Bearer']) {
    const stranger = new RunnerHttp(port, token);
    expect((await stranger.ask('GET', '/health')).status).toBe(200);
    for (const [method, path] of paths) {
      expect((await stranger.ask(method, path)).status, `${method} ${path} with ${token}`).toBe(401);
    }
  }
  const known = new RunnerHttp(port, 'Bearer prime-7919');
  const info = shardInfo.parse(JSON.parse(textOf(await known.ask('GET', '/info'))));
  expect(info.allowTargets).toEqual(['127.0.0.1']);
  expect((await new RunnerHttp(port, 'bearer prime-7919').ask('GET', '/info')).status).toBe(200);
  const strange = await new RunnerHttp(port, 'Bearer prime-7907').ask('GET', '/jobs/%');
  expect([strange.status, problemsOf(strange)]).toEqual([401, [named('unauthorized')]]);
  expect((await known.ask('POST', '/jobs', jobTo(target, { target: targetAt(`localhost:${target}`) }))).status).toBe(
    403,
  );
  const jobId = await known.take(jobTo(target));
  await known.ask('DELETE', `/jobs/${jobId}`);
  command.kill('SIGTERM');
  const { stdout, stderr } = await command.ended;
  expect(stdout + stderr).not.toContain('prime-79');
});

it('a bench-runner is signalled: it ends its load, takes no other job, and stays until all was fetched', async () => {
  // It would outlast the time of the test.
  const { port, command } = await place.benchRunner(['--linger', '20m']);
  const own = new RunnerHttp(port);
  const jobId = await own.take(jobTo(target, { options: long }));
  await own.open(jobId, 'start');
  await own.until(jobId, ({ progress }) => (progress.received ?? 0) > 0);
  command.kill('SIGTERM');
  const { result } = await own.until(jobId, ({ state }) => state === 'done');
  expect(result?.stop).toEqual({ code: 'shardEnded', evidence: [expect.stringContaining('SIGTERM')] });
  const refused = await own.ask('POST', '/jobs', jobTo(target));
  expect([refused.status, problemsOf(refused)]).toEqual([503, [named('runnerEnding', 'SIGTERM')]]);
  for (const [name, { count }] of Object.entries(result?.samples ?? {})) {
    const { body } = await own.ask('GET', `/jobs/${jobId}/samples/${name}`);
    expect(sampleCount(decodeSamples(body)), name).toBe(count);
  }
  expect(result?.samples.delivery?.count).toBeGreaterThan(0);
  expect((await own.ask('POST', `/jobs/${jobId}/collected`)).status).toBe(200);
  expect(await command.ended).toMatchObject({ code: 0, signal: null });
});

it('a bench-runner is signalled with nothing to fetch, or once more: it ends at once', async () => {
  const [idle, twice] = await Promise.all([1, 2].map(() => place.benchRunner(['--linger', '20m'])));
  idle?.command.kill('SIGTERM');
  expect(await idle?.command.ended).toMatchObject({ code: 0, signal: null, stderr: '' });
  await new RunnerHttp(twice?.port ?? 0).take(jobTo(target, { options: long }));
  twice?.command.kill('SIGTERM');
  await twice?.command.said('stderr', /\b20m\b/);
  await delay(anotherPressMs);
  twice?.command.kill('SIGTERM');
  expect(await twice?.command.ended).toMatchObject({ code: 0, signal: null });
});

it.each(['SIGTERM', 'the end of its stdin'])('a bench-runner ends on %s, load and all', async (end) => {
  const { port, command } = await place.benchRunner(['--linger', '1s'], { RINGSIDE_EXIT_WITH_STDIN: '1' });
  const own = new RunnerHttp(port);
  const jobId = await own.take(jobTo(target, { options: long }));
  await own.open(jobId, 'start');
  await own.until(jobId, ({ progress }) => (progress.received ?? 0) > 0);
  if (end === 'SIGTERM') command.kill('SIGTERM');
  else command.closeStdin();
  expect(await command.ended).toMatchObject({ code: 0, signal: null });
  expect(command.family()).toEqual([]);
  await expect.poll(connections, eventually).toBe(0);
});

it('a bench-runner takes no port that is in use, and says so', async () => {
  const { port } = await place.benchRunner();
  const second = await place.refused(['bench-runner', '--port', String(port)]);
  expect(second).toEqual([named('portInUse', port, 'EADDRINUSE')]);
});

it('a bench-runner opens itself to other machines only with a token', async () => {
  const refused = await place.refused(['bench-runner', '--port', '0', '--host', '0.0.0.0']);
  expect(refused).toEqual([expect.objectContaining({ code: 'unsafeBind' })]);
});
