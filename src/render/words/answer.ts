import type { StopCode } from '../../contract/stop-reasons.js';
import type { Clause, Declaration } from '../../measure/declaration.js';
import { countIn, shareIn } from '../../measure/ledger.js';
import type { ThresholdFigure } from '../../measure/threshold.js';
import { leastByBounds } from '../../results/figures.js';
import { resultViewOf } from '../../results/over-time/readings.js';
import type { RunResult } from '../../results/result.js';
import { countText } from '../../units/text.js';
import { footprintInWords, milliseconds, valueInWords } from './values.js';
import { starvedInWords } from './verdict-words.js';

/** Returns the answer of a run in sentences. Empty for a void run. */
export function answerInWords(result: RunResult, scenario: Declaration): string[] {
  const { verdict } = result;
  if (verdict.rig === 'void') return [];
  const starved = starvedInWords(verdict, scenario) ?? '';
  const clauses = scenario.sentence.flatMap((clause) => clauseInWords(clause, result, scenario) ?? []);
  const figures = clauses.join('; ').replaceAll('within at most ', 'within ');
  return [starved, ...findingOf(result, scenario), figures].filter((text) => text !== '').map(asSentence);
}

/** States the meaning of a run's figures in a sentence of its scenario. Empty for a void run. */
export function findingOf(result: RunResult, scenario: Declaration): string[] {
  const { metrics, ledger, verdict } = result;
  if (verdict.rig === 'void' || !scenario.finding) return [];
  return [scenario.finding(metrics, ledger, milliseconds, resultViewOf(result)) ?? []].flat();
}

function asSentence(text: string): string {
  const begun = text.charAt(0).toUpperCase() + text.slice(1);
  return begun.endsWith('.') ? begun : `${begun}.`;
}

function clauseInWords(clause: Clause, result: RunResult, scenario: Declaration): string | undefined {
  if (typeof clause !== 'string') {
    const count = countIn(result.ledger, clause.count);
    const chosen = count === 0 ? clause.none : clause.some;
    return count === null || chosen === '' ? undefined : clauseInWords(chosen, result, scenario);
  }
  const words = clause.replaceAll(/\{(.+?)\}/g, (slot, name: string) => slotInWords(name, result, scenario) ?? slot);
  return words.includes('{') ? undefined : words;
}

function slotInWords(
  name: string,
  result: RunResult,
  { metrics: declared }: Pick<Declaration, 'metrics'>,
): string | undefined {
  const { ledger, job, environment } = result;
  if (name === 'footprint') return environment.footprint ? footprintInWords(environment.footprint) : undefined;
  const [part = '', whole] = name.split('/');
  if (whole !== undefined) {
    const share = shareIn(ledger, part, whole);
    return share === null ? undefined : valueInWords('share', share);
  }
  const [metric = '', figure] = name.split('.');
  if (figure !== undefined) return timeInWords(result, metric, figure as ThresholdFigure);
  if (Object.hasOwn(declared, name)) return timesInWords(result, name);
  const count = countIn(ledger, name) ?? job.options[name];
  return typeof count === 'number' ? countText(count) : undefined;
}

/** Returns a figure, or with a mark the most that it can be. Undefined if too few samples carry it. */
function timeInWords({ metrics, verdict }: RunResult, metric: string, figure: ThresholdFigure): string | undefined {
  const us = metrics[metric]?.[figure] ?? null;
  if (us === null) return undefined;
  return `${leastByBounds(verdict, metric, figure) === undefined ? '' : 'at most '}${milliseconds(us)} ms`;
}

const tails = { p99: '99 %', p95: '95 %', p90: '90 %', max: 'all' } as const;

/** Returns the median and the highest percentile that the samples carry: `1.50 ms (median), 99 % within 6.20 ms`. */
function timesInWords(result: RunResult, metric: string): string | undefined {
  const median = timeInWords(result, metric, 'p50');
  if (median === undefined) return undefined;
  const known = Object.entries(tails).flatMap(([figure, share]) => {
    const time = timeInWords(result, metric, figure as keyof typeof tails);
    return time === undefined ? [] : [`, ${share} within ${time}`];
  });
  return `${median} (median)${known[0] ?? ''}`;
}

const isBug = 'this is a bug of Ringside: please report it with the directory of the result';
const isBusy = 'give it less load, or a machine on which nothing else runs';

/** Says what to do about a stop whose cause gives no better advice. */
const stopFixes: Readonly<Partial<Record<StopCode, string>>> = {
  timeOver: isBusy,
  refused: 'raise the limit of the server, or ask for fewer clients',
  targetUnreachable: 'check the address of the target',
  handshakeTimeouts: 'ask for fewer clients, or give a lower --ramp-rate',
  targetGone: 'look into the log of the server; it ended during the run',
  restartFailed: 'run the restart command by hand and look into the log of the server',
  publishRefused: 'check --publish-url and --publish-token',
  publishFailed: 'check --publish-url',
  connectionsLost: 'look into the log of the server and of proxies before it for why they closed connections',
  memoryWall: 'give the server more memory, or ask for fewer clients',
  corePinned: 'give the server more processes, or less load',
  acceptOverflow: 'give a lower --ramp-rate, or the server a longer accept queue',
  targetDescriptors: 'raise the limit of open files of the server (ulimit -n)',
  uniformCeiling: 'run `ringside doctor` where the bench-runners are: they have a limit',
  rigSaturated: 'use more shards or machines, or less load',
  portsExhausted: 'give --local-address several addresses, or ask for fewer clients',
  descriptorsExhausted: 'raise the limit of open files of the bench-runner (ulimit -n)',
  shardLost: 'look into the log of that bench-runner, then run it again',
  rigFault: isBug,
};

const ruleFixes: Readonly<Record<string, string>> = {
  'work-missing': isBug,
  'ledger-broken': 'if nobody edited the result, this is a bug of Ringside: please report it with its directory',
  'delivery-over-100': isBug,
  'clock-fault': isBug,
  'nothing-connected': 'check the address and --protocol of the target',
  'nothing-published': 'check --publish-url and --publish-token',
  'nothing-delivered': 'check that the server sends each broadcast to the subscribers of its stream',
  'clock-id': 'keep each bench-runner in one container for the whole run',
  'silent-shard': 'check that this shard reaches the target, and that all shards reach the same one',
  'elapsed-overrun': isBusy,
};

/** Says what to do about a void run in a sentence. */
export function fixOf({ stop, verdict }: Pick<RunResult, 'stop' | 'verdict'>): string {
  const ofRules = verdict.evidence.flatMap(({ rule, level }) => (level === 'void' ? (ruleFixes[rule] ?? []) : []));
  return stopFixes[stop.code] ?? ofRules[0] ?? 'run it again; `ringside show` prints what was counted';
}
