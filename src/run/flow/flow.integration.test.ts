import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { flowFiles } from '../../../test/flow-files.js';
import { named } from '../../../test/refusal.js';
import { jobTo, problemsOf, RunnerHttp } from '../../../test/runner-http.js';
import { keptDirectory, keptResult, workplace } from '../../../test/workplace.js';
import { digestOf } from '../../contract/job.js';

const client = 'async client() {}';
const at = flowFiles({
  'syntax.ts': `export default {\n  ${client},,\n};`,
  'none.ts': `export const flow = { ${client} };`,
  'top.ts': `export default { ${client} };\n\nthrow new Error('at line three');`,
  'setup.ts': `export default {\n  ${client},\n  async setup() {\n    throw new Error('no account');\n  },\n};`,
  'thread.ts': `import { isMainThread } from 'node:worker_threads';

if (!isMainThread) throw new Error('no file here');
export default { ${client} };`,
  'whole.ts': `
import { appendFileSync } from 'node:fs';
import { defineFlow } from 'ringside-bench/flow';
enum Word { Begun = 'begun', Over = 'over' }
const note = (word: Word, text: string) => appendFileSync(process.env.NOTES!, word + ' ' + text + '\\n');
export default defineFlow<unknown, { secret: string }>({
  metrics: { key: { meaning: 'press to echo' } },
  async setup({ target, seed }) { note(Word.Begun, target.protocol + seed); return { secret: 'prime-7919' }; },
  async teardown({ shared }) { note(Word.Over, shared.secret); throw new Error('no way back'); },
  async client() {},
});`,
});

const place = workplace();
let strict: number;
let allowing: number;
const flow = (...args: string[]): string[] => ['run', 'flow', ...args, '--target', 'ws'];

beforeAll(async () => {
  const runners = await Promise.all([place.benchRunner(), place.benchRunner(['--allow-modules'])]);
  [strict, allowing] = runners.map(({ port }) => port) as [number, number];
});

describe.concurrent('run flow refuses', () => {
  it.each([
    ['syntax.ts', 'syntax.ts:2:'],
    ['none.ts', 'export default'],
    ['top.ts', 'top.ts:3: Error: at line three'],
    ['setup.ts', 'setup.ts:4: Error: no account'],
  ])('%s', async (name, text) => {
    expect(await place.refused(flow(at(name)))).toEqual([named('badFlow', text)]);
  });

  it('to run without a file, and other scenarios with one', async () => {
    expect(await place.refused(flow())).toEqual([named('badFlow', 'received none')]);
    expect(await place.refused(['run', 'latency', at('whole.ts')])).toEqual([named('badOption', 'whole.ts')]);
  });

  it('a bench-runner without --allow-modules', async () => {
    const problems = await place.refused(flow(at('whole.ts'), '--shard', `http://127.0.0.1:${strict}`));
    expect(problems).toEqual([named('modulesNotAllowed', strict, 'whole.ts')]);
  });
});

describe('a bench-runner refuses a job', () => {
  const modules = [
    { digest: digestOf(Buffer.from('x')), name: 'chat.ts', weight: 1, shared: { secret: 'prime-7919' } },
  ];
  const refusalOf = async (port: number, changes: Parameters<typeof jobTo>[1]) =>
    problemsOf(await new RunnerHttp(port).ask('POST', '/jobs', jobTo(port, { options: {}, ...changes })));

  it('of a scenario that runs none, and of a flow without any', async () => {
    expect(await refusalOf(allowing, { modules })).toEqual([named('badBody', 'modules', 'none')]);
    const problems = await refusalOf(allowing, { scenario: 'flow' });
    expect(problems).toEqual([named('badBody', 'modules', 'at least one')]);
  });

  it('with a wrong module, whose secret it does not repeat', async () => {
    const wrong = [{ ...modules[0]!, weight: 0, shared: { secret: 'prime-7919', at: undefined } }];
    const problems = await refusalOf(allowing, { scenario: 'flow', modules: wrong as never });
    expect(problems).toEqual([named('badBody', 'modules.0.weight')]);
    expect(JSON.stringify(problems)).not.toContain('prime-7919');
  });
});

it.concurrent('setup runs before and teardown after a run, whose result has no secret of theirs', async () => {
  const notes = join(place.folder, 'notes');
  const args = flow(`${at('whole.ts')}=3`, '--keep-module', '--seed', '53', '--clients', '3', '--duration', '1s');
  const ended = await place.measure(args, 1, { NOTES: notes });
  expect(readFileSync(notes, 'utf8')).toBe('begun ws:53\nover prime-7919\n');
  expect(ended.stderr).toMatch(/teardown failed: whole\.ts:9: Error: no way back/);
  const result = keptResult(ended);
  expect(result.modules).toMatchObject([{ name: 'whole.ts', weight: 3, metrics: { key: 'press to echo' } }]);
  expect(result.metrics).toHaveProperty('key');
  const workers = result.shards.flatMap((shard) => shard.result?.rig.workers ?? []);
  expect(workers.map(({ role, userCode }) => [role, userCode?.heldUpMs])).toContainEqual(['audience', 0]);
  expect(JSON.stringify(result)).not.toContain('prime-7919');
  expect(readdirSync(join(keptDirectory(ended), 'modules'))).toEqual(['whole.ts.mjs']);
});

it.concurrent('teardown runs for a run that its user ends', async () => {
  const notes = join(place.folder, 'notes-of-interrupt');
  const command = place.ringside(flow(at('whole.ts'), '--clients', '3', '--duration', '5m'), { NOTES: notes });
  await command.said('stderr', /ramp|live/);
  command.kill('SIGINT');
  expect((await command.ended).stderr).toMatch(/teardown failed: whole\.ts/);
  expect(readFileSync(notes, 'utf8')).toMatch(/^begun ws:\d+\nover prime-7919\n$/);
});

it.concurrent('a file that fails on the bench-runner ends the run with its line', async () => {
  const ended = await place.measure(flow(at('thread.ts'), '--clients', '3', '--duration', '1s'));
  expect(ended.code).toBe(2);
  const { code, evidence } = keptResult(ended).stop;
  expect([code, evidence]).toEqual(['flowFailed', [expect.stringContaining('thread.ts:3: Error: no file here')]]);
});
