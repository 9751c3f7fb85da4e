import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';

/** Compares a renderer's cases with its file in `test/golden`; `npm run test:unit -- -u` updates the file. */
export async function expectGolden(file: string, cases: Readonly<Record<string, string>>): Promise<void> {
  const text = Object.entries(cases).map(([name, each]) => `=== ${name}\n${each.replace(/\n*$/, '\n')}`);
  await expect(text.join('\n')).toMatchFileSnapshot(fileURLToPath(new URL(`golden/${file}`, import.meta.url)));
}

/** The same, with only the lines by which each further case differs from the first one, which they vary. */
export async function expectVariants(file: string, cases: Readonly<Record<string, string>>): Promise<void> {
  const [[name = '', first = ''] = [], ...others] = Object.entries(cases);
  const lines = first.split('\n');
  const variants = others.map(([other, text]) => {
    const own = text.split('\n');
    const added = own.filter((line) => !lines.includes(line)).map((line) => `+ ${line}`);
    const gone = lines.filter((line) => !own.includes(line)).map((line) => `- ${line}`);
    return [other, [...added, ...gone].join('\n')];
  });
  await expectGolden(file, { [name]: first, ...Object.fromEntries(variants) });
}

/** The lines of a ledger, each with its label. */
export function ledgerText(lines: readonly (readonly [label: string, text: string])[]): string {
  return lines.map((line) => line.join('  ')).join('\n');
}
