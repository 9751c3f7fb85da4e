import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = dirname(fileURLToPath(import.meta.url));

/**
 * Which room may import which, as docs/architecture.md draws it. A change here is a decision for docs/decisions.
 * `commands` and `experiment` read the declarations of scenarios and protocols, `runner` those of scenarios, the
 * choice of an engine in `wire`, and the folder of modules in `flow`.
 */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  units: [],
  measure: ['units'],
  options: ['units'],
  wire: ['units'],
  protocols: ['measure', 'options', 'units', 'wire'],
  scenarios: ['protocols', 'contract', 'measure', 'options', 'units'],
  flow: ['scenarios', 'protocols', 'wire', 'measure', 'options', 'units'],
  targets: ['measure', 'options', 'units'],
  contract: ['measure', 'options', 'units'],
  results: ['contract', 'measure', 'options', 'units'],
  render: ['results', 'contract', 'measure', 'options', 'units'],
  worker: ['contract', 'scenarios', 'flow', 'protocols', 'wire', 'measure', 'units'],
  runner: ['worker', 'scenarios', 'flow', 'wire', 'contract', 'measure', 'units'],
  run: ['contract', 'scenarios', 'flow', 'protocols', 'targets', 'results', 'measure', 'options', 'units'],
  experiment: ['run', 'scenarios', 'results', 'contract', 'measure', 'options', 'units'],
  commands: [
    'experiment',
    'run',
    'scenarios',
    'protocols',
    'results',
    'render',
    'contract',
    'measure',
    'options',
    'units',
  ],
};

/** What single commands may import beyond their room: they start, list or check servers themselves. */
const mayImportToo: Readonly<Record<string, readonly string[]>> = {
  'commands/bench-runner': ['runner', 'targets'],
  'commands/calibrate': ['targets'],
  'commands/doctor': ['targets'],
  'commands/install': ['targets'],
  'commands/list': ['targets'],
  'commands/reproduce': ['targets'],
  'commands/suite': ['targets'],
  'commands/target': ['targets'],
  // Two clients that measure nothing need no bench-runner.
  'commands/try': ['worker'],
};

const any = /\bprocess\.(argv|env|exit|exitCode|stdout|stderr|stdin|on)\b/;
const anyButEnvironment = /\bprocess\.(exit|exitCode|stdout|stderr|stdin|on)\b/;

interface Import {
  file: string;
  /** The imported file, from `src/`. */
  target: string;
  from: string;
  to: string;
}

const sources = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
  // Tests stand outside the house.
  (path) => path.endsWith('.ts') && !path.endsWith('.test.ts') && path.includes('/'),
);
const imports: Import[] = sources.flatMap((path) => {
  const text = readFileSync(join(root, path), 'utf8');
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g)].map((match) => {
    const target = relative(root, join(root, dirname(path), match[1] as string)).replace(/\.js$/, '.ts');
    return { file: path, target, from: path.split('/')[0] as string, to: target.split('/')[0] as string };
  });
});

/** The files that reach themselves through their imports. */
function circles(): string[][] {
  const next = new Map<string, string[]>();
  for (const { file, target } of imports) next.set(file, [...(next.get(file) ?? []), target]);
  const done = new Set<string>();
  const found: string[][] = [];
  const follow = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) found.push([...path.slice(path.indexOf(file)), file]);
    if (done.has(file) || path.includes(file)) return;
    for (const each of next.get(file) ?? []) follow(each, [...path, file]);
    done.add(file);
  };
  for (const file of next.keys()) follow(file, []);
  return found;
}

describe('the rooms of the house', () => {
  it('have no import circles', () => {
    expect(circles()).toEqual([]);
  });

  it('are all in the plan', () => {
    const rooms = new Set(sources.map((path) => path.split('/')[0] as string));
    expect([...rooms].filter((room) => !(room in mayImport) && room !== 'cli')).toEqual([]);
  });

  it('import each other only as the plan allows', () => {
    expect(imports.length).toBeGreaterThan(100);
    const isAllowed = ({ file, from, to }: Import): boolean =>
      [from, ...(mayImport[from] ?? []), ...(mayImportToo[file.split('/').slice(0, 2).join('/')] ?? [])].includes(to);
    const breaches = imports.filter((each) => each.from !== 'cli' && !isAllowed(each));
    expect(breaches).toEqual([]);
  });

  it('leave the process to cli; targets and the pool of workers read the environment that their children get', () => {
    const touching = sources.filter((path) => {
      // A worker hears of promises of the user's code that nobody awaits. Nothing else can tell them.
      if (path.startsWith('cli/') || path === 'worker/flows.ts') return false;
      const isParent = path.startsWith('targets/') || path === 'runner/worker-pool.ts';
      const word = isParent ? anyButEnvironment : any;
      return word.test(readFileSync(join(root, path), 'utf8'));
    });
    expect(touching).toEqual([]);
  });
});
