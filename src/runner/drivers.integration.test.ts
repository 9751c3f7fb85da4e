import { beforeAll, expect, it } from 'vitest';
import { jobTo, problemsOf, RunnerHttp, textOf } from '../../test/runner-http.js';
import { workplace } from '../../test/workplace.js';
import { driverHeader, runState } from '../contract/job.js';

const place = workplace();
const runId = '7b39ba6e';
const names = ['one@ring/7', 'other@ring/11'] as const;
let target: number;
let port: number;

beforeAll(async () => {
  const [bench, honest] = await Promise.all([place.benchRunner(), place.serve('servers/metronome/main.js')]);
  [port, target] = [bench.port, honest.port];
});

/** Asks as the driver of that name. */
const as = (name: string): RunnerHttp => new RunnerHttp(port, undefined, { [driverHeader]: name });
const codes = (answer: Parameters<typeof problemsOf>[0]): string[] => problemsOf(answer).map(({ code }) => code);

it('a run shows no secret, keeps what its driver leaves, and obeys one driver at a time', async () => {
  const [one, other] = names.map(as) as [RunnerHttp, RunnerHttp];
  const job = jobTo(target);
  const publishHeaders = { authorization: 'Bearer prime-7919' };
  const jobId = await one.take({ ...job, runId, driver: names[0], target: { ...job.target, publishHeaders } });
  const path = `/runs/${runId}`;
  const text = textOf(await other.ask('GET', path));
  expect(text).not.toContain('7919');
  expect(runState.parse(JSON.parse(text))).toMatchObject({ driver: { name: names[0], isGone: false }, left: null });

  // The first driver lives.
  expect(codes(await other.ask('POST', `${path}/driver`))).toEqual(['runHeld']);
  expect(codes(await other.ask('DELETE', `/jobs/${jobId}`))).toEqual(['runTaken']);
  expect((await as('a name with spaces').ask('POST', `${path}/driver`)).status).toBe(400);
  await one.open(jobId, 'start');
  await one.open(jobId, 'drain');
  await one.until(jobId, ({ state }) => state === 'done');

  // No nesting takes the bench-runner down.
  const nested = `{"seen":${'['.repeat(1e6)}${']'.repeat(1e6)}}`;
  const strange = await one.askText('POST', `/jobs/${jobId}/left`, nested);
  expect(strange.status).toBeLessThan(600);
  expect((await one.ask('GET', '/health')).status).toBe(200);
  expect((await one.ask('POST', `/jobs/${jobId}/left`, { seen: 13 })).status).toBe(200);
  expect((await other.ask('POST', `${path}/driver`)).status).toBe(200);
  const { left } = runState.parse(JSON.parse(textOf(await other.ask('GET', path))));
  expect(left).toEqual({ seen: 13 });
  expect(codes(await one.ask('GET', `/jobs/${jobId}`))).toEqual(['runTaken']);
  expect((await other.ask('POST', `/jobs/${jobId}/collected`)).status).toBe(200);
  expect(codes(await one.ask('GET', `/jobs/${jobId}`))).toEqual(['runTaken']);
  expect(codes(await other.ask('GET', `/jobs/${jobId}`))).toEqual(['notFound']);
  expect(problemsOf(await one.ask('GET', path))[0]?.message).toContain(names[1]);
});
