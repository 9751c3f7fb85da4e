import { afterEach, expect, it, vi } from 'vitest';
import { naming } from '../../test/refusal.js';
import { jobTo } from '../../test/runner-http.js';
import { MarkTable } from '../measure/samples/mark-table.js';
import { flow } from '../scenarios/flow/index.js';
import { type Job, parseJob } from '../scenarios/job.js';
import type { Scenario } from '../scenarios/scenario.js';
import { WorkerPool } from './worker-pool.js';

const pools: WorkerPool[] = [];

/** A pool of a publisher and two audiences that run that program, and what it tells of those that broke. */
function poolOf(
  program: string,
  more: Partial<Job> = {},
  modules: string[] = [],
): { pool: WorkerPool; broken: string[] } {
  const broken: string[] = [];
  const events = { log: () => undefined, gaveUp: () => undefined, broke: (error: Error) => broken.push(error.message) };
  const entry = new URL(`data:text/javascript,${encodeURIComponent(program)}`);
  const pool = new WorkerPool({ ...parseJob(jobTo(9)), ...more }, { workers: 2, modules }, 0, events, entry);
  pools.push(pool);
  return { pool, broken };
}

afterEach(async () => {
  vi.unstubAllEnvs();
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
});

const imports = "import { parentPort, workerData } from 'node:worker_threads';";
const reports = "parentPort.postMessage({ type: 'report', report: { counts: {} } }); parentPort.close();";

it('a stage has begun when the last worker has heard of it, or is gone', async () => {
  const told: string[] = [];
  const { pool } = poolOf(
    `${imports} parentPort.on('message', () => {
      if (workerData.role === 'publisher') process.exit(7);
      const say = (type) => parentPort.postMessage({ type });
      setTimeout(() => { say('stageBegun'); setTimeout(say, 101, 'stageDone'); }, workerData.index * 211);
    });`,
  );
  const stage = pool.stage('ramp', 0, 0, () => told.push('begun'));
  expect(told).toEqual([]);
  await stage.then(() => told.push('done'));
  expect(told).toEqual(['begun', 'done']);
});

it('a stage of which a worker has not heard has not begun', async () => {
  let isBegun = false;
  const { pool } = poolOf(
    `${imports} parentPort.on('message', () => {
      if (workerData.index === 0) parentPort.postMessage({ type: 'stageBegun' });
      parentPort.postMessage({ type: 'stageDone' });
    });`,
  );
  await pool.stage('ramp', 0, 0, () => {
    isBegun = true;
  });
  expect(isBegun).toBe(false);
});

it('a stage is ended early, and what is under way goes on', async () => {
  const { pool, broken } = poolOf(
    `${imports} parentPort.on('message', ({ type }) => {
      if (type === 'endStage') parentPort.postMessage({ type: 'stageDone' });
      if (type === 'abort') process.exit(7);
    });`,
  );
  const stage = pool.stage('publish', 0, 0);
  pool.tell({ type: 'endStage' });
  await stage;
  expect(broken).toEqual([]);
});

it('every worker hears of a gate that clients of a flow wait at', async () => {
  const { pool } = poolOf(
    `${imports} parentPort.on('message', ({ type, name }) => {
      const progress = { type: 'progress', figures: { [name]: 1 }, atNs: 1, loopDelayMs: 0 };
      if (type === 'gateOpened') parentPort.postMessage(progress);
      if (type === 'stage') parentPort.postMessage({ type: 'stageDone' });
    });`,
  );
  pool.tell({ type: 'gateOpened', name: 'together:all' });
  await pool.stage('live', 0, 0);
  expect(pool.progress()).toEqual({ 'together:all': 3 });
});

it('a worker that ends without a word is broken, and its stage is over', async () => {
  const { pool, broken } = poolOf(
    `${imports} parentPort.on('message', () => {
        if (workerData.index === 1) process.exit(7);
        parentPort.postMessage({ type: 'stageDone' });
      });`,
  );
  await pool.stage('ramp', 0, 0);
  expect(broken).toEqual([naming('audience 1', 'code 7')]);
});

it('a worker that fails is told of once', async () => {
  const { pool, broken } = poolOf(`${imports} parentPort.on('message', () => { throw new Error('a fault'); });`);
  expect(await pool.report()).toEqual([]);
  expect(broken).toEqual(['a fault', 'a fault', 'a fault']);
});

it('a worker that has reported may end', async () => {
  const { pool, broken } = poolOf(`${imports} parentPort.on('message', () => { ${reports} });`);
  expect((await pool.report()).length).toBe(3);
  await pool.close();
  expect(broken).toEqual([]);
});

it('workers that run a module of the user see of the environment only its variables', async () => {
  vi.stubEnv('RINGSIDE_FLOW_TOKEN', 'hush');
  vi.stubEnv('RINGSIDE_TOKEN', 'of the bench-runner');
  const program = `${imports} parentPort.on('message', () => {
    const { RINGSIDE_FLOW_TOKEN: own, ...others } = process.env;
    const counts = { own: Number(own === 'hush'), hasToken: Number('RINGSIDE_TOKEN' in others) };
    const beside = Object.keys(others).filter((name) => !['NODE_ENV', 'NODE_OPTIONS', 'TEST_ADDON'].includes(name));
    parentPort.postMessage({ type: 'report', report: { counts: { ...counts, beside: beside.length } } });
    parentPort.close();
  });`;
  const seenWith = async (modules: string[]) =>
    (await poolOf(program, {}, modules).pool.report()).map(({ counts }) => counts);
  expect(await seenWith(['/modules/chat.js'])).toEqual(Array(3).fill({ own: 1, hasToken: 0, beside: 0 }));
  expect((await seenWith([]))[0]).toMatchObject({ own: 1, hasToken: 1 });
});

it('workers share the declared sends of their shard, and learn those of others', async () => {
  const program = `${imports}
    const { marks } = workerData;
    parentPort.on('message', ({ type, buffer, clock }) => {
      if (type === 'sends') new Uint8Array(buffer)[0]++;
      if (type !== 'report') return;
      parentPort.postMessage({ type: 'report', report: { counts: { first: marks.first, size: marks.size } } });
      parentPort.close();
    });`;
  const scenario = flow as unknown as Scenario;
  const options = { mostSends: 1024 };
  const { pool } = poolOf(program, { scenario, options, slice: { index: 2, of: 3 } });
  const buffer = new SharedArrayBuffer(8);
  pool.tell({ type: 'sends', buffer, clock: { shiftNs: 0, errorNs: 0, atNs: 0 } });
  const reports = await pool.report();
  expect(reports.map(({ counts }) => counts)).toEqual(Array(3).fill({ first: 2048, size: 1024 }));
  expect(new Uint8Array(buffer)[0]).toBeGreaterThan(0);
  expect(pool.marks).toBeInstanceOf(MarkTable);
  expect(poolOf(program).pool.marks).toBeUndefined();
});
