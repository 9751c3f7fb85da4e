import type { Command } from 'commander';

/** One command of the CLI; its module defines arguments, options and action on first use. */
export interface CommandEntry {
  name: string;
  summary: string;
  load(): Promise<{ define(command: Command): void }>;
}

/** Every command, in the order of the help. */
export const commands: readonly CommandEntry[] = [
  { name: 'run', summary: 'run one scenario against one target', load: () => import('./run.js') },
  {
    name: 'compare',
    summary: 'run one scenario against several targets, interleaved, and print one scoreboard',
    load: () => import('./compare.js'),
  },
  {
    name: 'bracket',
    summary: 'measure one target in independent ways, and say whether they agree',
    load: () => import('./bracket.js'),
  },
  {
    name: 'find',
    summary: 'find the rate at which a figure passes a limit',
    load: () => import('./find.js'),
  },
  {
    name: 'reproduce',
    summary: 'run the shape of a published figure, and print published beside measured',
    load: () => import('./reproduce.js'),
  },
  {
    name: 'knee',
    summary: 'find the publish rate at which a target jams, for each number of subscribers',
    load: () => import('./knee.js'),
  },
  {
    name: 'calibrate',
    summary: 'hold the rig of this machine against known truth, and keep what it may be trusted with',
    load: () => import('./calibrate.js'),
  },
  {
    name: 'suite',
    summary:
      'run several scenarios from a file, go on after an interruption, and hold the results against the last ones',
    load: () => import('./suite/suite.js'),
  },
  {
    name: 'bench-runner',
    summary: 'start one shard: the HTTP service that makes the load',
    load: () => import('./bench-runner.js'),
  },
  {
    name: 'target',
    summary: 'start one of the servers under test in the foreground',
    load: () => import('./target.js'),
  },
  { name: 'list', summary: 'list targets, scenarios or protocols', load: () => import('./list.js') },
  {
    name: 'doctor',
    summary: 'say what this machine can carry and which targets can be started here',
    load: () => import('./doctor.js'),
  },
  {
    name: 'show',
    summary: 'print a kept result again, or several kept runs as one scoreboard',
    load: () => import('./kept/show.js'),
  },
  {
    name: 'diff',
    summary: 'hold a kept result against a baseline, and say what became worse by more than the noise',
    load: () => import('./kept/diff.js'),
  },
  {
    name: 'history',
    summary: 'draw a figure over the kept runs, a line for each target',
    load: () => import('./kept/history.js'),
  },
  {
    name: 'report',
    summary: 'make one page of kept results: charts and every figure, opened without a network',
    load: () => import('./kept/report.js'),
  },
  {
    name: 'export',
    summary: 'print a kept result in a form that other tools read',
    load: () => import('./kept/export.js'),
  },
  {
    name: 'schema',
    summary: 'print the JSON schema of results, comparisons or jobs',
    load: () => import('./schema.js'),
  },
];
