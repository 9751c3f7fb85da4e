import { setTimeout as delay } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { latencyFlags, soundResult } from '../../../test/latency.js';
import { asJson, problemsIn } from '../../../test/refusal.js';
import { attach, attachedResult, begin, beginLong, place, stateOf, wholeLedger } from '../../../test/runs/attach.js';

/** A driver waits 15 s for the first answer of a bench-runner. */
const longerThanAnAnswer = 19_001;
const eventually = { timeout: 300_000, interval: 211 };

/** The problems of a driver that keeps nothing. */
async function refusedAs(command: ReturnType<typeof attach>): Promise<{ codes: string[]; text: string }> {
  const problems = problemsIn(await command.ended);
  return { codes: [...new Set(problems.map(({ code }) => code))], text: JSON.stringify(problems) };
}

const asDocument = (run: { runId: string; shards: string[] }) =>
  place.ringside(['attach', run.runId, ...run.shards], asJson);

it.concurrent('a left run is fetched after its end: the result is that of the first driver', async () => {
  const run = await begin(['--leave']);
  const left = await run.driver.ended;
  expect(left.code).toBe(0);
  expect(left.stdout).toContain(run.runId);
  const result = await attachedResult(attach(run), run);
  expect(result.stop.code).toBe('completed');
  expect(result.ledger).toMatchObject(wholeLedger);
  const { attached, stages, gauges } = result.environment;
  expect(attached).toMatchObject({ silentMs: 0, lacks: [] });
  // What the first driver saw second by second is there, and the run ended when the load did.
  expect(gauges.find(({ name }) => name === 'deliveriesPerSecond')?.points.length).toBeGreaterThan(3);
  expect(attached?.atMs).toBeCloseTo(Math.max(...stages.map(({ toMs }) => toMs)));
  expect((await refusedAs(asDocument(run))).codes).toEqual(['notFound']);
});

it.concurrent('a left run waits for a shard that is cut off when the second driver comes', async () => {
  const run = await begin(['--leave']);
  await run.driver.ended;
  const [, other] = run.runners;
  other?.command.kill('SIGSTOP');
  const second = attach(run);
  await delay(longerThanAnAnswer);
  other?.command.kill('SIGCONT');
  const result = await attachedResult(second, run);
  expect(result.ledger).toMatchObject(wholeLedger);
  expect(result.environment.attached?.lacks).toEqual([]);
});

it.concurrent('a left run is followed, and fetched when that driver goes', async () => {
  const run = await begin(['--leave']);
  const second = attach(run);
  const result = await attachedResult(second, run);
  expect((await run.driver.ended).code).toBe(0);
  expect(result.ledger).toMatchObject(wholeLedger);
  expect(result.environment.attached?.lacks).toEqual([]);
});

it.concurrent('a run whose driver lives stays with it: who follows is told who fetched it', async () => {
  const run = await begin();
  await run.driver.said('stderr', / publish /);
  const second = asDocument(run);
  const first = soundResult(await run.driver.ended);
  expect(first.ledger).toMatchObject(wholeLedger);
  expect(first.environment.attached).toBeUndefined();
  const { codes, text } = await refusedAs(second);
  expect(codes).toEqual(['notFound']);
  expect(text).toContain(`/${run.driver.pid}-`);
});

it.concurrent('a run whose driver lives goes on when who follows leaves', async () => {
  const run = await begin();
  const second = attach(run);
  await second.said('stderr', / (ramp|publish|drain) /);
  second.kill('SIGINT');
  expect((await second.ended).code).toBe(130);
  expect(soundResult(await run.driver.ended).ledger).toMatchObject(wholeLedger);
});

it.concurrent('a run whose driver is gone is known by its id alone', async () => {
  const run = await begin(['--leave']);
  const { codes, text } = await refusedAs(asDocument({ ...run, runId: '00000000' }));
  expect(codes).toEqual(['notFound']);
  expect(text).toContain(run.runId);
  expect((await refusedAs(asDocument({ ...run, shards: run.shards.slice(0, 2) }))).codes).toEqual(['badOption']);
  run.driver.kill('SIGKILL');
});

it.concurrent('a run whose driver is gone has one new driver, of two that ask', async () => {
  const run = await begin();
  await run.driver.said('stderr', / publish /);
  run.driver.kill('SIGKILL');
  const both = await Promise.all([attach(run), attach(run)].map(({ ended }) => ended));
  expect(both.map(({ code }) => code === 2).sort()).toEqual([false, true]);
  const [kept] = both.filter(({ code }) => code !== 2);
  expect(kept && soundResult(kept).ledger).toMatchObject(wholeLedger);
});

it.concurrent('a run whose driver is gone does not obey it when it is back', async () => {
  const run = await begin(['--json']);
  await run.driver.said('stderr', / publish /);
  run.driver.kill('SIGSTOP');
  const first = (await stateOf(run)).driver.name;
  const second = attach(run);
  await vi.waitUntil(async () => (await stateOf(run)).driver.name !== first, eventually);
  run.driver.kill('SIGCONT');
  const back = await run.driver.ended;
  expect(back.code).toBe(5);
  expect(problemsIn(back).map(({ code }) => code)).toContain('runTaken');
  // A result of its own would stand where the whole one belongs.
  expect(back.stderr).not.toContain('kept in');
  expect((await attachedResult(second, run)).ledger).toMatchObject(wholeLedger);
});

it.concurrent('a run whose driver is gone does not obey it when it is back after all is fetched', async () => {
  const run = await begin(['--json']);
  await run.driver.said('stderr', / publish /);
  run.driver.kill('SIGSTOP');
  expect((await attachedResult(attach(run), run)).ledger).toMatchObject(wholeLedger);
  run.driver.kill('SIGCONT');
  const back = await run.driver.ended;
  expect(problemsIn(back).map(({ code }) => code)).toContain('runTaken');
  expect(back.stderr).not.toContain('kept in');
});

it.concurrent('a run whose driver is gone goes on with it when it is back in time', async () => {
  const run = await begin();
  await run.driver.said('stderr', / publish /);
  run.driver.kill('SIGSTOP');
  await vi.waitUntil(async () => (await stateOf(run)).driver.isGone, eventually);
  run.driver.kill('SIGCONT');
  const first = soundResult(await run.driver.ended);
  expect(first.ledger).toMatchObject(wholeLedger);
  expect(first.environment.attached).toBeUndefined();
});

it.concurrent('a run whose driver is gone stopped its load when the lease ended, and its part is kept', async () => {
  const run = await beginLong(['--lease', '11s']);
  await run.driver.said('stderr', / publish /);
  run.driver.kill('SIGKILL');
  await vi.waitUntil(async () => (await stateOf(run)).status.state === 'done', eventually);
  const result = await attachedResult(attach(run), run);
  expect(result.stop.code).toBe('interrupted');
  expect(result.shards.map(({ state }) => state)).toEqual(['partial', 'partial']);
  expect(result.environment.elapsedMs).toBe(result.environment.attached?.atMs);
});

it.concurrent('a run whose driver is gone lost a shard that restarted', async () => {
  const run = await begin();
  await run.driver.said('stderr', / publish /);
  run.driver.kill('SIGKILL');
  const [, other] = run.runners;
  other?.command.kill('SIGKILL');
  await other?.command.ended;
  await place.benchRunner(['--port', String(other?.port)]);
  const result = await attachedResult(attach(run), run);
  expect(result.stop.code).toBe('shardLost');
  expect(result.shards.map(({ state }) => state)).toEqual(['partial', 'lost']);
});

it.concurrent('a run whose driver is gone ends with the target that this one had started', async () => {
  const { port } = await place.benchRunner();
  const shards = ['--shard', `http://127.0.0.1:${port}`];
  const driver = place.ringside(['run', 'latency', '--target', 'ws', ...latencyFlags(31, 997), ...shards]);
  const [, runId = ''] = await driver.said('stderr', /run ([0-9a-f]{8})/);
  await driver.said('stderr', / publish /);
  driver.kill('SIGKILL');
  const result = soundResult(await attach({ runId, shards }).ended);
  expect(result.stop.code).toBe('targetGone');
  expect(result.target).toMatchObject({ name: 'ws', isOurs: true });
});

it.concurrent('a driver is killed in the publishing: another one keeps the whole run', async () => {
  const run = await begin();
  await run.driver.said('stderr', / publish /);
  run.driver.kill('SIGKILL');
  const second = attach(run);
  const result = await attachedResult(second, run);
  expect(result.stop.code).toBe('completed');
  expect(result.ledger).toMatchObject(wholeLedger);
  expect(result.shards.map(({ state }) => state)).toEqual(['complete', 'complete']);
  const { attached, stages, elapsedMs } = result.environment;
  expect(attached?.from).toMatch(new RegExp(`/${run.driver.pid}-`));
  expect(attached?.silentMs).toBeGreaterThan(0);
  // It came while broadcasts went out, and opened the gate behind them.
  expect(attached?.atMs).toBeGreaterThan(stages.find(({ name }) => name === 'publish')?.fromMs ?? Infinity);
  expect(attached?.atMs).toBeLessThan(elapsedMs);
});
