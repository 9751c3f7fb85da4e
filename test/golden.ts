import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';

/** Compares a renderer's cases with its file in `test/golden`; `npm run test:unit -- -u` updates the file. */
export async function expectGolden(file: string, cases: Readonly<Record<string, string>>): Promise<void> {
  const text = Object.entries(cases).map(([name, each]) => `=== ${name}\n${each.replace(/\n*$/, '\n')}`);
  await expect(text.join('\n')).toMatchFileSnapshot(fileURLToPath(new URL(`golden/${file}`, import.meta.url)));
}

/** The lines of a ledger, each with its label. */
export function ledgerText(lines: readonly (readonly [label: string, text: string])[]): string {
  return lines.map((line) => line.join('  ')).join('\n');
}
