import { mean } from 'simple-statistics';
import { stopInWords } from '../contract/stop-reasons.js';
import { readableCauses } from '../measure/causes.js';
import type { Declaration } from '../measure/declaration.js';
import { metricTitle } from '../measure/metric-names.js';
import { sumCauses } from '../measure/samples/sample-sum.js';
import { headlineValue } from '../results/figures.js';
import { bestOf, pointsTogether } from '../results/over-time/courses.js';
import { resultViewOf, targetCoreWaitMs } from '../results/over-time/readings.js';
import { holdsOf, isPlannedEnd, type RunResult } from '../results/result.js';
import { causesInWords, countText } from '../units/text.js';
import { runSuites } from './checks.js';
import { type Block, type Document, type Facts, type Line, type Part, toned } from './document/document.js';
import { distributions, headlineTable } from './figure-tables.js';
import { answerInWords } from './words/answer.js';
import { fixOf } from './words/fixes.js';
import { attachedInWords, engineLines, enginesInWords, notesOf, talkLines, wayInWords } from './words/notes.js';
import { statementMarks, statementTones } from './words/statement.js';
import {
  footprintInWords,
  intervalInWords,
  milliseconds,
  optionsInWords,
  thresholdInWords,
  valueInWords,
} from './words/values.js';
import {
  boundTexts,
  loadedLoops,
  networkInWords,
  saidOf,
  toneOfRun,
  troublesOf,
  trustInWords,
  verdictInWords,
} from './words/verdict-words.js';

/** Returns the document of one run. In brief, it has the answer, its figures and the verdict. */
export function runDocument(result: RunResult, scenario: Declaration): Document {
  const { fingerprint, tool, verdict, thresholds, metrics } = result;
  const isVoid = verdict.rig === 'void';
  const network = networkInWords(result);
  const figures = scenario.figureLines?.(metrics, result.ledger, milliseconds, resultViewOf(result)) ?? [];
  const meanwhile = meanwhileLine(result, scenario);
  const blocksOf = (...lines: (Line | undefined)[]): Line[] =>
    lines.filter((line) => line !== undefined && line !== '') as Line[];
  const inDetail: Part[] = [
    { folded: 'Distributions', blocks: distributions(result, scenario) },
    { blocks: blocksOf(intervals(result, scenario)) },
    { blocks: blocksOf(network && `network  ${network}`) },
    { folded: 'Ledger', blocks: [...ledger(result, scenario), ...blocksOf(meanwhile)] },
    { blocks: scenario.isCapacity ? blocksOf(footprint(result)) : [] },
    { blocks: losses(result) },
    { folded: 'Rig', blocks: [...shards(result), ...coreTime(result)] },
  ];
  const judged = thresholds.map((threshold): Fact => ['threshold', thresholdLine(threshold, metrics)]);
  return {
    title: titleOf(result),
    parts: [
      { blocks: header(result, scenario) },
      {
        isAnswer: true,
        blocks: [...answerLines(result, scenario), ...factsOf(stopFacts(result, scenario))],
      },
      { blocks: figures.length > 0 && !isVoid ? [{ aligned: figures }] : [] },
      { only: 'brief', blocks: isVoid ? [] : headlineTable(result, scenario) },
      { isJoined: true, blocks: isVoid ? [] : countLine(result, scenario) },
      { isAnswer: true, isJoined: true, blocks: isVoid ? [] : factsOf([...verdictFacts(result, scenario), ...judged]) },
      { only: 'whole', isJoined: true, folded: 'Marks', blocks: factsOf(boundFacts(result)) },
      ...inDetail.map((part): Part => ({ ...part, only: 'whole' })),
    ],
    footer: [`shape ${fingerprint}`, `ringside ${tool.version}`],
    suites: runSuites({ kept: result, scenario }),
  };
}

/** Returns the sentences of the answer. The one before them, that others held the target's cores, is no title. */
function answerLines(result: RunResult, scenario: Declaration): Line[] {
  const isStarved = saidOf(result, scenario) === 'starved';
  return answerInWords(result, scenario).map((text, n) => toned[isStarved && n === 0 ? 'doubtful' : 'title'](text));
}

type Fact = Facts['facts'][number];

const factsWidth = 11;

function factsOf(facts: readonly Fact[]): Facts[] {
  return facts.length > 0 ? [{ facts, width: factsWidth }] : [];
}

function titleOf(result: RunResult): Line {
  const { scenario: name, target } = result;
  const versions = Object.entries(target.versions).map(([each, version]) => `${each} ${version}`);
  const engines = enginesInWords(result);
  return [
    toned.title(`${name}  ${target.name}`),
    `${versions.length > 0 ? `  (${versions.join(', ')})` : ''}${engines === '' ? '' : `  ${engines}`}`,
  ];
}

/** Messages of the user's own can fill a screen. */
const longestSetting = 40;

function header(result: RunResult, scenario: Declaration): Line[] {
  const { target, job } = result;
  const settings = Object.entries(target.settings).map(([each, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return `${each}=${text.length > longestSetting ? `${text.slice(0, longestSetting)}…` : text}`;
  });
  const shardsInWords = `${job.shards} shard${job.shards > 1 ? 's' : ''} · ${wayInWords(result).join(' · ')}`;
  return [
    `${optionsInWords(scenario, job.options)} · ${target.client} clients · ${shardsInWords}`,
    ...(settings.length > 0 ? [toned.aside(`target options: ${settings.join(', ')}`)] : []),
    ...(target.client === 'library' && 'wait' in scenario.metrics
      ? [toned.aside('this client library does not reconnect by itself: Ringside decides when')]
      : []),
  ];
}

const named = (name: string, lines: readonly Line[]): Fact[] => lines.map((line, n) => [n === 0 ? name : '', line]);

/** States how a run ended that did not go to its planned end, and of a void run what happened and the fix. */
function stopFacts(result: RunResult, scenario: Declaration): Fact[] {
  const { stop, verdict } = result;
  const isVoid = verdict.rig === 'void';
  const isWhole = isPlannedEnd(stop.code, scenario);
  const grave = verdict.evidence.filter(({ level }) => level === 'void');
  const happened = isWhole ? grave.map(({ rule, text }) => `${rule}: ${text}`).join('; ') : stopInWords(stop);
  if (isVoid)
    return [
      ['verdict', toned.bad(`VOID: ${happened}`)],
      ...named('', talkLines(result)),
      ['fix', stop.advice ?? fixOf(result)],
    ];
  const isSaid = stop.code === 'completed' || verdictInWords(result, scenario).startsWith(stopInWords(stop));
  return [
    ...(isSaid ? [] : named('stop', [stopInWords(stop), ...(stop.advice === undefined ? [] : [stop.advice])])),
    ...named('talk', talkLines(result)),
  ];
}

function verdictFacts(result: RunResult, scenario: Declaration): Fact[] {
  const { verdict } = result;
  return [
    ['verdict', { text: verdictInWords(result, scenario), tone: toneOfRun[saidOf(result, scenario)] }],
    ...verdict.evidence.map(({ rule, text }): Fact => ['', `${rule}: ${text}`]),
    ...notesOf(result, scenario).map((text): Fact => ['note', toned.doubtful(text)]),
  ];
}

function boundFacts({ verdict, environment }: RunResult): Fact[] {
  const { trust } = environment;
  const trustTone = { inside: 'plain', beyond: 'doubtful', untried: 'aside', uncalibrated: 'aside' } as const;
  return [
    ...boundTexts(verdict).map((text): Fact => ['bound', text]),
    ...(trust ? named('machine', [{ text: trustInWords(trust), tone: trustTone[trust.place] }]) : []),
    ...named('driver', attachedInWords(environment).map(toned.aside)),
  ];
}

/** Returns the counts and shares of the headline in a line. A share of all is left out: the sentence says it. */
function countLine(result: RunResult, scenario: Declaration): Line[] {
  const counts = scenario.headline.flatMap((column) => {
    const value = column.kind === 'figure' ? null : headlineValue(column, result);
    const isAll = column.kind === 'share' && value === 1;
    return value === null || isAll ? [] : [`${column.title} ${valueInWords(column.kind, value)}`];
  });
  return counts.length > 0 ? [counts.join(' · ')] : [];
}

/** Formats a threshold with its bound and its value. */
export function thresholdLine(threshold: RunResult['thresholds'][number], metrics: RunResult['metrics']): Line {
  const holds = holdsOf(threshold);
  const mark = { text: statementMarks[holds], tone: statementTones[holds] };
  return [mark, ' ', toned.code(threshold.text), `  (${thresholdInWords(threshold, metrics)})`];
}

function intervals({ metrics }: RunResult, scenario: Declaration): string {
  const lines = scenario.headline.flatMap((column) => {
    if (column.kind !== 'figure') return [];
    const interval = intervalInWords(column, metrics);
    return interval === '' ? [] : [`${metricTitle(scenario, column.metric)} ${column.figure} ${interval}`];
  });
  const over = scenario.publishes ? 'broadcasts' : 'slices of time';
  return lines.length > 0 ? `95 % interval of this part of this run, over ${over}, ms: ${lines.join(' · ')}` : '';
}

/** Formats the ledger. It is empty if all shards are lost, because their counts are unknown, not zero. */
function ledger({ ledger: books, shards: parts }: RunResult, scenario: Declaration): Block[] {
  return parts.every(({ state }) => state === 'lost') ? [] : [{ facts: scenario.ledgerLines(books) }];
}

function footprint({ environment: { footprint: found } }: RunResult): string {
  if (!found) return '';
  return `memory      ${footprintInWords(found)} (line through ${found.points} readings of the ramp)`;
}

/** Names some occasions of causes. Other occasions have their own line in the ledger. */
const occasions = { connect: 'not connected', close: 'cut off', publish: 'not acked' };

function losses({ shards: parts }: RunResult): Block[] {
  const all = sumCauses(parts.map(({ result }) => result?.causes ?? {}));
  const facts = Object.entries(occasions).flatMap(([occasion, title]): [string, Line][] => {
    const causes = readableCauses(occasion, all[occasion] ?? {});
    return Object.keys(causes).length === 0 ? [] : [[title, causesInWords(causes)]];
  });
  return facts.length > 0 ? [{ facts, width: 15 }] : [];
}

function shards({ shards: parts, environment }: RunResult): Line[] {
  const troubled = parts.flatMap((part) =>
    troublesOf(part, environment).map((text) =>
      toned[part.state === 'complete' ? 'aside' : 'bad'](`${part.url}: ${text}`),
    ),
  );
  const loops = parts.flatMap(({ result }) =>
    (result ? loadedLoops(result) : []).map((worker) => {
      const name = worker.role === 'publisher' ? 'publisher' : `worker ${worker.index}`;
      const busy = `busy ${(worker.utilization * 100).toFixed(0)} %`;
      const delay = `loop delay p99 ${worker.loopDelayP99Ms.toFixed(1)} ms`;
      const pause = `longest GC pause ${worker.gcMaxMs.toFixed(1)} ms`;
      const waited = worker.runQueueWaitMs ?? 0;
      const core = waited > 0 ? `, waited ${(waited / 1000).toFixed(2)} s for a core` : '';
      return `shard ${result?.slice.index} ${name}: ${busy}, ${delay}, ${pause}${core}`;
    }),
  );
  return [...troubled, ...[...loops, ...engineLines({ shards: parts })].map(toned.aside)];
}

/** Formats the core time that the target and the shards did not get. Empty if no system counted it. */
function coreTime({ shards: parts, environment }: RunResult): Line[] {
  const waitedMs = targetCoreWaitMs(environment);
  const target = waitedMs === null ? [] : [`target: its threads waited ${(waitedMs / 1000).toFixed(2)} s for a core`];
  const stolen = parts.flatMap(({ result }) => {
    const share = result?.rig.shard.stolenShare;
    return share === undefined
      ? []
      : [`shard ${result?.slice.index}: the hypervisor took ${percent(share * 100)} of the CPU`];
  });
  return [...target, ...stolen].map(toned.aside);
}

/** Describes the target and its host while clients returned after a restart. Empty without a restart or readings. */
export function meanwhileLine(
  { environment: { stages: spans, observations } }: Pick<RunResult, 'environment'>,
  { disruption, stages }: Pick<Declaration, 'disruption' | 'stages'>,
): string {
  const stage = disruption && stages.find(({ gate }) => gate === disruption.gate)?.name;
  const span = spans.find(({ name }) => name === stage);
  if (!span) return '';
  const within = (name: string): number[] =>
    pointsTogether(bestOf(observations, name), 'sum')
      .filter(({ atMs }) => atMs >= span.fromMs && atMs <= span.toMs)
      .map(({ value }) => value);
  const cpu = within('cpuPercent');
  const overflows = within('acceptQueueOverflowsPerSecond');
  const full = overflows.filter((each) => each > 0).length;
  const said = [
    ...(cpu.length === 0
      ? []
      : [`CPU ${percent(mean(cpu))} mean, ${percent(Math.max(...cpu))} max (100 % is one core)`]),
    ...(overflows.length === 0
      ? []
      : [`host accept queues overflowed in ${countText(full)} of ${countText(overflows.length)} readings`]),
  ];
  return said.length === 0 ? '' : `target in ${stage}  ${said.join(' · ')}`;
}

function percent(value: number): string {
  return `${value.toFixed(0)} %`;
}
