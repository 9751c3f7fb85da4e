import { describe, expect, it } from 'vitest';
import { flowFiles } from '../../../test/flow-files.js';
import { named } from '../../../test/refusal.js';
import { bundleFlow } from './bundle.js';

const flow = (body: string): string => `import { defineFlow } from 'ringside-bench/flow';\n${body}\n`;
const client = 'export default defineFlow({ async client() {} });';
const at = flowFiles({
  'enum.ts': flow(
    `import { seven } from './lib/seven.ts';
enum Kind { A = 'a' }
export default defineFlow({ async client(me: unknown): Promise<string> { return Kind.A + seven(); } });`,
  ),
  'lib/seven.ts': 'export function seven(): number {\n  return Math.trunc(7.9);\n}\n',
  'syntax.ts': flow('const x = ;'),
  'package.ts': flow(`import a from 'no-such-package';\na();\n${client}`),
  'file.ts': flow(`import a from './no-such.ts';\na();\n${client}`),
  'export.ts': flow(`import { eight } from './lib/seven.ts';\neight();\n${client}`),
  'node_modules/tries/index.js': `try { require('no-such-package'); } catch {}\nmodule.exports = 7;\n`,
  'node_modules/tries/package.json': '{ "name": "tries", "version": "1.0.0" }',
  'tries.ts': flow(`import seven from 'tries';\nexport default defineFlow({ async client() { return seven; } });`),
});

const mapOf = (code: string): { sources: string[] } => {
  const [, base64 = ''] = /sourceMappingURL=data:application\/json;charset=utf-8;base64,(\S+)/.exec(code) ?? [];
  return JSON.parse(Buffer.from(base64, 'base64').toString()) as { sources: string[] };
};

describe('a bundle', () => {
  it('is of TypeScript, enums too, and leaves the package to the shard', async () => {
    const code = await bundleFlow(at('enum.ts'));
    expect(code).not.toContain('enum Kind');
    expect(code.match(/from "[^"]+"/g)).toEqual(['from "ringside-bench/flow"']);
  });

  it('names sources from the folder of the file, so that its digest is the same on every machine', async () => {
    expect(mapOf(await bundleFlow(at('enum.ts'))).sources.sort()).toEqual(['flow:enum.ts', 'flow:lib/seven.ts']);
    expect(mapOf(await bundleFlow(at('tries.ts'))).sources).toContain('package:tries/index.js');
    expect(await bundleFlow(at('enum.ts'))).not.toContain(at('enum.ts').replace(/\/enum.ts$/, ''));
  });
});

it.each([
  ['syntax.ts', 'badFlow', 'syntax.ts:2:11'],
  ['package.ts', 'badFlow', 'package.ts:2:15'],
  ['file.ts', 'badFlow', 'file.ts:2:15'],
  ['export.ts', 'badFlow', 'export.ts:2:10'],
  ['nothing.ts', 'badFlow', 'nothing.ts'],
] as const)('%s is refused with its place', async (name, code, place) => {
  await expect(bundleFlow(at(name))).rejects.toMatchObject({ problems: [named(code, place)] });
});

it('the hint for a missing package is the command that installs it', async () => {
  await expect(bundleFlow(at('package.ts'))).rejects.toMatchObject({
    problems: [{ hint: expect.stringContaining('npm i no-such-package') }],
  });
});
