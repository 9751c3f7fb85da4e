import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, it, vi } from 'vitest';
import { workplace } from '../test/workplace.js';

const place = workplace();

it('what a test starts ends behind it, also if the test is killed half-way', async () => {
  const { href } = new URL('../test/afterwards.ts', import.meta.url);
  const [begun, over] = ['begun', 'over'].map((name) => pathToFileURL(join(place.folder, name)));
  writeFileSync(
    join(place.folder, 'endless.test.js'),
    [
      `import { writeFileSync } from 'node:fs';`,
      `import { afterwards } from '${href}';`,
      `it('never ends', async () => {`,
      `  afterwards('touch ${fileURLToPath(over ?? '')}');`,
      `  writeFileSync(new URL('${begun}'), '');`,
      `  await new Promise(() => setInterval(() => {}, 1000));`,
      `});`,
    ].join('\n'),
  );
  const vitest = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url));
  const flags = ['run', '--root', place.folder, '--globals', '--testTimeout', '900000'];
  const command = place.start(process.execPath, [vitest, ...flags]);
  await vi.waitUntil(() => existsSync(begun ?? ''), { timeout: 300_000 });
  expect(existsSync(over ?? '')).toBe(false);
  for (const { pid } of command.family('vitest')) process.kill(pid, 'SIGKILL');
  await vi.waitUntil(() => existsSync(over ?? ''), { timeout: 300_000 });
});
