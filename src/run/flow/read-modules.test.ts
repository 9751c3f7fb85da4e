import { expect, it } from 'vitest';
import { flowFiles } from '../../../test/flow-files.js';
import { plannedRun } from '../../../test/planned.js';
import { named } from '../../../test/refusal.js';
import { scenarioCalled } from '../../../test/scenarios.js';
import { digestOf } from '../../contract/job.js';
import { withModules } from '../../scenarios/flow/index.js';
import { planRun, readOptions, runSchema } from '../plan/plan.js';
import { describedOnly, readModules } from './read-modules.js';

const connect = scenarioCalled('connect');
const client = 'async client() {}';
const data = `globalThis[Symbol.for('ringside.files')]?.add('users.csv');
const rows = () => globalThis[Symbol.for('ringside.data')]?.['users.csv'];
`;
const at = flowFiles({
  'chat.ts': `export default { ${client}, thresholds: ['failed==0'],
 metrics: { key: { meaning: 'press to echo', thresholds: ['p99 < 53'] } } };`,
  'lurker.ts': `export default { ${client} };`,
  'rows.ts': `${data}export default { ${client}, setup: async () => rows() };`,
  'early.ts': `${data}if (rows() === undefined) throw new Error('no rows yet');\nexport default { ${client} };`,
  'users.csv': 'name,password\nada,7919\n',
  'b/rows.ts': `${data}export default { ${client} };`,
  'b/users.csv': 'name\n',
  'gone.ts': `globalThis[Symbol.for('ringside.files')]?.add('none.csv');\nexport default { ${client} };`,
  'none.ts': 'export const client = () => undefined;',
  'wrong.ts': `export default { client: 7, foo: 1, onError: 'no', metrics: { 'a b': { meaning: 'x' } } };`,
  'throws.ts': `\nthrow new Error('at line two');\n`,
  'taken.ts': `export default { ${client}, metrics: { tcp: { meaning: 'x' } }, thresholds: ['nope.p99<3ms'] };`,
  'other.ts': `export default { ${client}, metrics: { key: { meaning: 'another' } } };`,
  'large.ts': `export default { ${client}, setup: async () => '${'x'.repeat(2 ** 23)}' };`,
});

it('files have weights, and digests of what is sent', async () => {
  const modules = await readModules(connect, [`${at('chat.ts')}=3`, at('lurker.ts')]);
  expect(modules.map(({ name, weight }) => [name, weight])).toEqual([
    ['chat.ts', 3],
    ['lurker.ts', 1],
  ]);
  for (const { digest, body } of modules) expect(digest).toBe(digestOf(body));
  expect(describedOnly(modules[0]!)).toEqual({
    ...{ name: 'chat.ts', weight: 3, digest: modules[0]?.digest, metrics: { key: 'press to echo' } },
  });
});

it('thresholds of a flow join those of the command line, which replace those on the same figure', async () => {
  const modules = await readModules(connect, [at('chat.ts')]);
  const textsOf = (...thresholds: string[]): string[] => {
    const given = { flags: { target: 'ws', thresholds }, env: {}, file: {} };
    return planRun(connect, readOptions(runSchema(connect), given), modules).thresholds.map(({ text }) => text);
  };
  expect(textsOf()).toEqual(['failed==0', 'key.p99 < 53ms']);
  expect(textsOf('key.p99<59ms', 'opened==7')).toEqual(['failed==0', 'key.p99<59ms', 'opened==7']);
});

it('a scenario without modules stays as it is', () => {
  expect(withModules(connect, [])).toBe(connect);
  expect(plannedRun(connect, { flags: { target: 'ws' }, env: {}, file: {} })).not.toHaveProperty('modules');
});

it.each(['rows.ts', 'early.ts'])(
  '%s: rows of data travel in the body, and are not a part of the code',
  async (name) => {
    const [{ body, code, digest } = { body: '', code: '', digest: '' }] = await readModules(connect, [at(name)]);
    expect(Buffer.from(body).toString()).toContain('ada,7919');
    expect(Buffer.from(body).toString().split('\n')).toHaveLength(code.split('\n').length);
    expect(code).not.toContain('ada,7919');
    expect(digest).toBe(digestOf(Buffer.from(body)));
  },
);

it.each([
  [['none.ts'], [named('badFlow', 'none.ts', 'export default')]],
  [['throws.ts'], [named('badFlow', 'throws.ts', 'at line two')]],
  [['gone.ts'], [named('badFlow', 'gone.ts', 'none.csv')]],
  [['chat.ts=0'], [named('badFlow', 'chat.ts', 'from 1', 0)]],
  [['taken.ts'], [named('badFlow', 'taken.ts', 'metrics.tcp'), named('badOption', 'taken.ts', 'nope')]],
  [['chat.ts', 'other.ts'], [named('badFlow', 'other.ts', 'metrics.key', 'chat.ts')]],
  [['rows.ts', 'b/rows.ts'], [named('badFlow', 'users.csv')]],
  [
    ['none.ts', 'lurker.ts', 'throws.ts'],
    [named('badFlow', 'none.ts'), named('badFlow', 'throws.ts')],
  ],
  [['wrong.ts'], ['client', 'metrics.a b', 'onError', 'foo'].map((key) => named('badFlow', 'wrong.ts', key))],
  [['large.ts'], [named('badFlow', 'large.ts', '16.0 MiB')]],
] as const)('%j is refused', async (names, problems) => {
  await expect(readModules(connect, names.map(at))).rejects.toMatchObject({ problems });
});
