import type { CommandData } from '../commands/command.js';

/** One command of the CLI. Its module loads only when the command is called, so that help is quick. */
interface CommandEntry {
  group: string;
  name: string;
  summary: string;
  load(): Promise<{ command: CommandData }>;
}

const inGroup =
  (group: string) =>
  (name: string, summary: string, load: CommandEntry['load']): CommandEntry => ({ group, name, summary, load });
const measure = inGroup('Measure:');
const results = inGroup('Read results:');
const setUp = inGroup('Set up:');

/** Lists every command, in the order of the help. */
export const commands: readonly CommandEntry[] = [
  measure('run', 'run one scenario against one target', () => import('../commands/run/command.js')),
  measure('submit', 'start a run beside its shards', () => import('../commands/submit/command.js')),
  measure('attach', 'go on with a run whose driver is gone', () => import('../commands/attach/command.js')),
  measure(
    'compare',
    'run one scenario against several targets in turn',
    () => import('../commands/compare/command.js'),
  ),
  measure('find', 'find the highest rate that keeps a threshold', () => import('../commands/search/find/command.js')),
  measure('knee', 'find the publish rate at which a target jams', () => import('../commands/search/knee/command.js')),
  measure('bracket', 'measure one target with two kinds of clients', () => import('../commands/bracket/command.js')),
  measure('suite', 'run several scenarios from a file', () => import('../commands/suite/command.js')),
  measure('reproduce', 'repeat a published benchmark and compare', () => import('../commands/reproduce/command.js')),
  results('show', 'print a kept result again', () => import('../commands/show/command.js')),
  results('diff', 'compare a result with a baseline', () => import('../commands/diff/command.js')),
  results('history', 'chart a figure over all kept runs', () => import('../commands/history/command.js')),
  results('report', 'write results to one HTML page', () => import('../commands/report/command.js')),
  results('export', 'print a result in the format of another tool', () => import('../commands/export/command.js')),
  setUp('init', 'write a file to fill in, of a target or a flow', () => import('../commands/init/command.js')),
  setUp('try', 'show what one client and your server say', () => import('../commands/try/command.js')),
  setUp('list', 'list targets, scenarios or protocols', () => import('../commands/list/command.js')),
  setUp('doctor', 'check what this machine can carry', () => import('../commands/doctor/command.js')),
  setUp('drill', 'try a fleet, and learn what load it can carry', () => import('../commands/drill/command.js')),
  setUp('install', 'install what a target needs', () => import('../commands/install/command.js')),
  setUp('calibrate', 'learn how exactly this machine measures', () => import('../commands/calibrate/command.js')),
  setUp('target', 'start a target in the foreground', () => import('../commands/target/command.js')),
  setUp(
    'bench-runner',
    'start a shard: the HTTP service that makes load',
    () => import('../commands/bench-runner/command.js'),
  ),
  setUp('fleet', 'show the bench-runners of a fleet', () => import('../commands/fleet/command.js')),
  setUp('schema', 'print the JSON schema of a document', () => import('../commands/schema/command.js')),
];
