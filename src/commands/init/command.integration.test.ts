import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { named } from '../../../test/refusal.js';
import { workplace } from '../../../test/workplace.js';

const place = workplace();
const folder = mkdtempSync(join(tmpdir(), 'ringside-init-flow-'));
afterAll(() => rmSync(folder, { recursive: true }));

it.concurrent('init flow writes a new file, and replaces none', async () => {
  const file = join(folder, 'chat.ts');
  expect(await place.run(['init', 'flow', '--file', file])).toMatchObject({ code: 0, stdout: '' });
  expect(await place.run(['init', 'flow', '--file', '-'])).toMatchObject({ stdout: readFileSync(file, 'utf8') });
  expect(await place.refused(['init', 'flow', '--file', file])).toEqual([named('badOption', '--file', file)]);
});

it.concurrent('init flow --har writes one only of a recording', async () => {
  const [file, har] = [join(folder, 'recorded.ts'), join(folder, 'chat.har')];
  const refused = () => place.refused(['init', 'flow', '--har', har, '--file', file]);
  expect(await refused()).toEqual([named('badFile', har)]);
  writeFileSync(har, '{}');
  expect(await refused()).toEqual([named('badFile', har, 'HAR')]);
  expect(existsSync(file)).toBe(false);
});
