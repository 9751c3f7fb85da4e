import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = dirname(fileURLToPath(import.meta.url));

/** Which room may import which. The plan of the house; a change here is a decision for docs/decisions. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  units: [],
  measure: ['units'],
  options: ['units'],
  wire: ['units'],
  protocols: ['measure', 'options', 'units', 'wire'],
  scenarios: ['protocols', 'measure', 'options', 'units'],
  targets: ['options', 'units'],
  contract: ['scenarios', 'protocols', 'targets', 'measure', 'options', 'units'],
  report: ['contract', 'measure', 'options', 'units'],
  worker: ['contract', 'scenarios', 'protocols', 'wire', 'measure', 'units'],
  runner: ['worker', 'contract', 'measure', 'units'],
  driver: ['contract', 'targets', 'report', 'measure', 'options', 'units'],
};

const any = /\bprocess\.(argv|env|exit|exitCode|stdout|stderr|stdin|on)\b/;
const anyButEnvironment = /\bprocess\.(exit|exitCode|stdout|stderr|stdin|on)\b/;

interface Import {
  file: string;
  from: string;
  to: string;
}

const sources = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
  // Tests, and the room of what they share, stand outside the house.
  (path) => path.endsWith('.ts') && !path.endsWith('.test.ts') && path.includes('/') && !path.startsWith('testing/'),
);
const imports: Import[] = sources.flatMap((path) => {
  const text = readFileSync(join(root, path), 'utf8');
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g)].map((match) => {
    const target = relative(root, join(root, dirname(path), match[1] as string));
    return { file: path, from: path.split('/')[0] as string, to: target.split('/')[0] as string };
  });
});

describe('the rooms of the house', () => {
  it('are all in the plan', () => {
    const rooms = new Set(sources.map((path) => path.split('/')[0] as string));
    expect([...rooms].filter((room) => !(room in mayImport) && room !== 'cli')).toEqual([]);
  });

  it('import each other only as the plan allows', () => {
    expect(imports.length).toBeGreaterThan(100);
    const breaches = imports.filter(({ from, to }) => from !== 'cli' && from !== to && !mayImport[from]?.includes(to));
    expect(breaches).toEqual([]);
  });

  it('leave the process to the cli; targets alone read the environment that their children get', () => {
    const touching = sources.filter((path) => {
      if (path.startsWith('cli/')) return false;
      const word = path.startsWith('targets/') ? anyButEnvironment : any;
      return word.test(readFileSync(join(root, path), 'utf8'));
    });
    expect(touching).toEqual([]);
  });
});
