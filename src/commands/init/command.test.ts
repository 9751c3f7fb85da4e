import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'rolldown/utils';
import { afterAll, expect, it } from 'vitest';
import type { Problem } from '../../contract/problems.js';
import { type ExternalTarget, readTargetFiles } from '../../run/server/external-targets.js';
import { targetOfTrial } from '../../run/server/planned.js';
import { flowFile, targetFile } from './command.js';

const folder = mkdtempSync(join(tmpdir(), 'ringside-init-'));
afterAll(() => rmSync(folder, { recursive: true }));
writeFileSync(join(folder, 'users.csv'), 'name,pin\nu7,hush\n');

/** The only target of a file of that text, after all checks before a run. */
function read(text: string): ExternalTarget | undefined {
  const path = join(folder, 'target.yml');
  writeFileSync(path, text);
  const problems: Problem[] = [];
  const targets = readTargetFiles([path], { TOKEN: 'hush' }, problems);
  targetOfTrial(undefined, targets, problems);
  expect(problems).toEqual([]);
  return targets[0];
}

/** Examples, each of one or more lines. */
const examples = targetFile.match(/(?:^ *#\w.*\n)+/gm) ?? [];

/** The file with an example in place of what has its keys. */
function withExample(example: string): string {
  const lines = example
    .trimEnd()
    .split('\n')
    .map((line) => line.replace('#', ''));
  const keys = lines.map((line) => line.slice(0, line.indexOf(':') + 1));
  const others = targetFile.split('\n').filter((line) => !keys.some((key) => line.startsWith(key)));
  const isOfMessages = lines[0]?.startsWith(' ');
  return (isOfMessages ? [...others, ...lines] : [...lines, ...others]).join('\n');
}

it('is a target as it stands', () => {
  const { messages = '' } = { ...read(targetFile)?.options } as { messages?: string };
  expect(Object.keys(JSON.parse(messages))).toEqual(['subscribe', 'publish', 'echo']);
});

it('has examples of all that a description can hold', () => {
  const text = examples.join('');
  const words = [
    'hello',
    'ready',
    'refused',
    'acked',
    'post',
    'match',
    'whisper',
    'every',
    'received',
    'hex',
    'base64',
  ];
  for (const word of [...words, 'login', 'file', 'header', 'start']) expect(text).toMatch(new RegExp(`\\b${word}:`));
});

it.each(examples)('is one with %s', (example) => {
  expect(read(withExample(example))).toBeDefined();
});

it('is a flow of under 40 lines, which the check of types reads as the golden file', async () => {
  expect(parseSync('flow.ts', flowFile).errors).toEqual([]);
  expect(flowFile.split('\n').length).toBeLessThanOrEqual(40);
  const golden = fileURLToPath(new URL('../../../test/golden/flows/start.ts', import.meta.url));
  await expect(flowFile).toMatchFileSnapshot(golden);
});
