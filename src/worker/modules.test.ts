import { afterAll, expect, it } from 'vitest';
import { digestOf } from '../contract/job.js';
import { ModuleFolder } from '../flow/module/load-flow.js';
import { lineOfError } from '../flow/user-code.js';
import { loadModules } from './flows.js';

const folder = new ModuleFolder();
afterAll(() => folder.remove());

async function loaded(code: string, shared?: number) {
  const digest = digestOf(Buffer.from(code));
  const module = { digest, name: 'chat.ts', weight: 3, ...(shared !== undefined && { shared }) };
  return loadModules({ modules: [module] }, [await folder.write(digest, code)]);
}

it('a module finds the ringside-bench/flow of this installation', async () => {
  const code = `import * as own from 'ringside-bench/flow';
    export default own.defineFlow({ client: async () => new own.Left('within') });`;
  const [{ flow, ...rest } = { flow: undefined }] = await loaded(code, 7);
  expect(rest).toEqual({ name: 'chat.ts', weight: 3, shared: 7, namesWebSocket: false });
  expect(await flow?.client({} as never)).toMatchObject({ name: 'Left', cause: 'within' });
});

it('an error names the line of the user’s file by the source map', async () => {
  // A line of the bundle for each line of the source.
  const map = { version: 3, sources: ['flow:chat.ts'], sourcesContent: [''], names: [], mappings: 'AASA;AACA;AACA' };
  const base64 = Buffer.from(JSON.stringify(map)).toString('base64');
  const code = `export default { async client() {
throw new Error('no');
} };
//# ${'sourceMapping'}URL=data:application/json;base64,${base64}`;
  const [{ flow } = { flow: undefined }] = await loaded(code);
  const thrown = await flow?.client({} as never).catch((error: unknown) => error);
  expect(lineOfError(thrown)).toBe('chat.ts:11');
});

it.each([
  ['export const client = 7;', ['chat.ts: expected `export default defineFlow({ … })`, received none']],
  ['export default class {}', ['chat.ts: expected `export default defineFlow({ … })`, received a function']],
  ['throw new TypeError("no \\u001b[31mway");', ['chat.ts: TypeError: no way']],
])('%s is refused', async (code, faults) => {
  await expect(loaded(code)).rejects.toMatchObject({ name: 'FlowFault', faults });
});
