import type { Command } from 'commander';

/** One command of the CLI; its module defines arguments, options and action on first use. */
export interface CommandEntry {
  name: string;
  summary: string;
  load(): Promise<{ define(command: Command): void }>;
}

/** Every command, in the order of the help. */
export const commands: readonly CommandEntry[] = [
  { name: 'run', summary: 'run one scenario against one target', load: () => import('../commands/run/command.js') },
  {
    name: 'compare',
    summary: 'run one scenario against several targets, interleaved, and print one scoreboard',
    load: () => import('../commands/compare/command.js'),
  },
  {
    name: 'bracket',
    summary: 'measure one target in independent ways, and say whether they agree',
    load: () => import('../commands/bracket/command.js'),
  },
  {
    name: 'find',
    summary: 'find the rate at which a figure passes a limit',
    load: () => import('../commands/search/find-command.js'),
  },
  {
    name: 'reproduce',
    summary: 'run the shape of a published figure, and print published beside measured',
    load: () => import('../commands/reproduce/command.js'),
  },
  {
    name: 'knee',
    summary: 'find the publish rate at which a target jams, for each number of subscribers',
    load: () => import('../commands/search/knee/command.js'),
  },
  {
    name: 'calibrate',
    summary: 'hold the rig of this machine against known truth, and keep what it may be trusted with',
    load: () => import('../commands/calibrate/command.js'),
  },
  {
    name: 'suite',
    summary:
      'run several scenarios from a file, go on after an interruption, and hold the results against the last ones',
    load: () => import('../commands/suite/command.js'),
  },
  {
    name: 'bench-runner',
    summary: 'start one shard: the HTTP service that makes the load',
    load: () => import('../commands/bench-runner/command.js'),
  },
  {
    name: 'target',
    summary: 'start one of the servers under test in the foreground',
    load: () => import('../commands/target/command.js'),
  },
  { name: 'list', summary: 'list targets, scenarios or protocols', load: () => import('../commands/list/command.js') },
  {
    name: 'doctor',
    summary: 'say what this machine can carry and which targets can be started here',
    load: () => import('../commands/doctor/command.js'),
  },
  {
    name: 'show',
    summary: 'print a kept result again, or several kept runs as one scoreboard',
    load: () => import('../commands/show/command.js'),
  },
  {
    name: 'diff',
    summary: 'hold a kept result against a baseline, and say what became worse by more than the noise',
    load: () => import('../commands/diff/command.js'),
  },
  {
    name: 'history',
    summary: 'draw a figure over the kept runs, a line for each target',
    load: () => import('../commands/history/command.js'),
  },
  {
    name: 'report',
    summary: 'make one page of kept results: charts and every figure, opened without a network',
    load: () => import('../commands/report/command.js'),
  },
  {
    name: 'export',
    summary: 'print a kept result in a form that other tools read',
    load: () => import('../commands/export/command.js'),
  },
  {
    name: 'schema',
    summary: 'print the JSON schema of results, comparisons or jobs',
    load: () => import('../commands/schema/command.js'),
  },
];
