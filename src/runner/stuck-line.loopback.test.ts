import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterAll, afterEach, expect, it } from 'vitest';
import { naming } from '../../test/refusal.js';
import { jobTo } from '../../test/runner-http.js';
import { bundleFlow } from '../run/flow/bundle.js';
import { parseJob } from '../scenarios/job.js';
import { placeOf } from './stuck-line.js';
import { WorkerPool } from './worker-pool.js';

const folder = mkdtempSync(join(tmpdir(), 'ringside-stuck-'));
const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Workers send figures and report. Those of `stuck` run the flow, or `load` it, which never comes back. */
const program = (stuck: readonly number[], does: 'run' | 'load') => `
  import { parentPort, workerData } from 'node:worker_threads';
  const say = (type, more) => parentPort.postMessage({ type, ...more });
  const figures = { figures: {}, atNs: 1, loopDelayMs: 0 };
  const isStuck = workerData.role === 'audience' && [${stuck}].includes(workerData.index);
  if (isStuck && ${does === 'load'}) await import('file://' + workerData.modules[0]);
  say('progress', figures);
  const beat = setInterval(say, 10, 'progress', figures);
  parentPort.on('message', async ({ type }) => {
    if (type === 'stage' && isStuck) {
      const { default: flow } = await import('file://' + workerData.modules[0]);
      await flow.client({});
    }
    if (type === 'stage') say('stageDone');
    if (type !== 'report') return;
    clearInterval(beat);
    say('report', { report: { counts: { of: workerData.index } } });
    parentPort.close();
  });`;

const asModule = (text: string): URL => new URL(`data:text/javascript,${encodeURIComponent(text)}`);

/** The bundle of a flow with that text. */
async function bundled(name: string, text: string): Promise<string> {
  const file = join(folder, `${name}.ts`);
  writeFileSync(file, text);
  const path = join(folder, `${name}-bundle.mjs`);
  writeFileSync(path, await bundleFlow(file));
  return path;
}

/** Runs a stage with three audiences, of which some never come back. */
async function heldBy(module: string, stuck: readonly number[], does: 'run' | 'load' = 'run') {
  const gaveUp: { code: string; evidence: string }[] = [];
  const broken: Error[] = [];
  const pool = new WorkerPool(
    parseJob(jobTo(9)),
    { workers: 3, modules: [module] },
    0,
    {
      log: () => undefined,
      gaveUp: (reason) => gaveUp.push(reason),
      broke: (error) => broken.push(error),
    },
    asModule(program(stuck, does)),
    100,
  );
  ends.push(() => pool.close());
  await pool.stage('live', 0, 0);
  const reports = await pool.report();
  return { gaveUp, broken, reports };
}

mkdirSync(join(folder, 'node_modules/spinner'), { recursive: true });
writeFileSync(join(folder, 'node_modules/spinner/index.js'), 'export function spin() {\n  for (;;) {}\n}\n');

const held: [name: string, text: string, line: string][] = [
  ['loop', 'export default {\n  async client(): Promise<void> {\n    for (;;) {}\n  },\n};\n', 'loop.ts:3'],
  [
    'microtasks',
    'enum Kind { End }\nexport default {\n  async client() {\n    for (;;) await Kind.End;\n  },\n};\n',
    'microtasks.ts:4',
  ],
  [
    'ticks',
    'const again = () => process.nextTick(again);\nexport default {\n  async client() {\n    again();\n  },\n};\n',
    'ticks.ts:1',
  ],
  ['pattern', 'export default {\n  async client() {\n    /(a+)+b/.test("a".repeat(90));\n  },\n};\n', 'pattern.ts:3'],
  [
    'library',
    'import { spin } from "spinner";\nexport default {\n  async client() {\n    spin();\n  },\n};\n',
    'library.ts:4',
  ],
];

it.each(held)('a flow that holds its worker by a %s is found by its line', async (name, text, line) => {
  const { gaveUp, broken, reports } = await heldBy(await bundled(name, text), [1]);
  expect(gaveUp).toEqual([{ code: 'flowStopped', evidence: naming('worker 1', `at ${line}`) }]);
  expect(broken).toEqual([]);
  expect(reports).toHaveLength(3);
});

it('a module that holds its worker while it loads is found by its line', async () => {
  const module = await bundled('top', 'let n = 0;\nfor (;;) n++;\nexport default { client() {} };\n');
  const { gaveUp, broken, reports } = await heldBy(module, [1], 'load');
  expect(gaveUp).toEqual([{ code: 'flowStopped', evidence: naming('worker 1', 'at top.ts:2') }]);
  expect(broken).toEqual([]);
  expect(reports).toHaveLength(3);
});

it('workers that are held at the same time are all ended', async () => {
  const [name, text, line] = held[0]!;
  const { gaveUp, broken, reports } = await heldBy(await bundled(name, text), [0, 1, 2]);
  expect(gaveUp.map(({ evidence }) => evidence).sort()).toEqual([
    naming('worker 0', line),
    naming('worker 1', line),
    naming('worker 2', line),
  ]);
  expect(broken).toEqual([]);
  expect(reports).toHaveLength(1);
});

it('a worker that no interrupt reaches is given up, and nothing waits for it', async () => {
  const fifo = join(folder, 'fifo');
  execFileSync('mkfifo', [fifo]);
  ends.push(() => writeFileSync(fifo, ''));
  const text = `import { readFileSync } from 'node:fs';
    export default { async client() { readFileSync(${JSON.stringify(fifo)}); } };`;
  const { gaveUp, broken, reports } = await heldBy(await bundled('waits', text), [2]);
  expect(gaveUp).toEqual([{ code: 'flowStopped', evidence: naming('worker 2', 'no JavaScript') }]);
  expect(broken).toEqual([]);
  expect(reports).toHaveLength(3);
});

it('a thread that runs nothing of the flow has no line, and goes on', async () => {
  const thread = new Worker(
    asModule(`import { parentPort } from 'node:worker_threads';
      setInterval(() => {}, 1);
      parentPort.on('message', (message) => parentPort.postMessage(message));`),
  );
  ends.push(() => thread.terminate());
  const said = () =>
    new Promise((resolve) => {
      thread.once('message', resolve);
      thread.postMessage('here');
    });
  expect(await said()).toBe('here');
  expect(await placeOf(thread.threadId, [join(folder, 'none.mjs')])).toEqual({ isAnswering: true, line: undefined });
  expect(await said()).toBe('here');
});
