import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';

/** Compares what a renderer writes, case by case, with its file in `test/golden`; `npm run test:unit -- -u` updates it. */
export async function expectGolden(file: string, cases: Readonly<Record<string, string>>): Promise<void> {
  const text = Object.entries(cases).map(([name, each]) => `=== ${name}\n${each.replace(/\n*$/, '\n')}`);
  await expect(text.join('\n')).toMatchFileSnapshot(fileURLToPath(new URL(`golden/${file}`, import.meta.url)));
}
