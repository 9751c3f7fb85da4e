import { mean } from 'simple-statistics';
import { stopInWords } from '../contract/stop-reasons.js';
import { readableCauses } from '../measure/causes.js';
import type { Declaration } from '../measure/declaration.js';
import { spelled } from '../measure/samples/distribution.js';
import { sumCauses } from '../measure/samples/sample-sum.js';
import { bestOf, pointsTogether } from '../results/over-time/courses.js';
import { resultViewOf, targetCoreWaitMs } from '../results/over-time/readings.js';
import { holdsOf, type RunResult } from '../results/result.js';
import { causesInWords, countText } from '../units/text.js';
import { attachedInWords, engineLines, enginesInWords, notesOf, talkLines, tooFewInWords } from './words/notes.js';
import { columnsOrBlocks, paint, type Style } from './words/table.js';
import { footprintInWords, intervalInWords, milliseconds, optionsInWords, thresholdInWords } from './words/values.js';
import {
  boundTexts,
  headline,
  leastInWords,
  loadedLoops,
  marksInWords,
  networkInWords,
  saidOf,
  troublesOf,
  trustInWords,
  verdictInWords,
  withMark,
} from './words/verdict-words.js';

const labelled = (label: string, text: string): string => `${label.padEnd(11)}${text}`;

/** Formats one run for the terminal: the headline and its verdict, then the distributions, the ledger and the rig. */
export function renderRun(result: RunResult, scenario: Declaration, style: Style): string {
  return [
    header(result, scenario, style),
    answer(result, scenario, style),
    (scenario.figureLines?.(result.metrics, result.ledger, milliseconds, resultViewOf(result)) ?? []).join('\n'),
    distributions(result, scenario, style),
    intervals(result, scenario),
    networkInWords(result) && `network  ${networkInWords(result)}`,
    [ledger(result, scenario), meanwhileLine(result, scenario)].filter((part) => part !== '').join('\n'),
    scenario.isCapacity ? footprint(result) : '',
    losses(result),
    [shards(result, style), coreTime(result, style)].filter((part) => part !== '').join('\n'),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function header(result: RunResult, scenario: Declaration, style: Style): string {
  const { scenario: name, target, job } = result;
  const { title, aside } = paint(style);
  const versions = Object.entries(target.versions).map(([each, version]) => `${each} ${version}`);
  const settings = Object.entries(target.settings).map(
    ([each, value]) => `${each}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  const engines = enginesInWords(result);
  const shardsInWords = `${job.shards} shard${job.shards > 1 ? 's' : ''}`;
  return [
    title(`${name}  ${target.name}`) +
      (versions.length > 0 ? `  (${versions.join(', ')})` : '') +
      (engines === '' ? '' : `  ${engines}`),
    `${optionsInWords(scenario, job.options)} · ${target.client} clients · ${shardsInWords}`,
    ...(settings.length > 0 ? [aside(`changed from the library's default: ${settings.join(', ')}`)] : []),
    ...(target.client === 'library' && 'wait' in scenario.metrics
      ? [aside('this client library does not reconnect by itself: Ringside decides when')]
      : []),
  ].join('\n');
}

function answer(result: RunResult, scenario: Declaration, style: Style): string {
  const { verdict, stop, thresholds, metrics, environment } = result;
  const { good, doubtful, bad, aside } = paint(style);
  const said = saidOf(result, scenario);
  const painted = { clean: good, starved: doubtful, short: doubtful, limited: doubtful, void: bad }[said];
  const verdictWords = verdictInWords(result, scenario);
  const { trust } = environment;
  const paintTrust = { inside: (text: string) => text, beyond: doubtful, untried: aside, uncalibrated: aside };
  return [
    ...headline(result, scenario).map((text, n) => labelled(n === 0 ? 'result' : '', text)),
    labelled('verdict', painted(verdictWords)),
    ...verdict.evidence.map(({ rule, text }) => labelled('', `${rule}: ${text}`)),
    ...(verdictWords.startsWith(stopInWords(stop)) ? [] : [labelled('stop', stopInWords(stop))]),
    ...talkLines(result).map((text, n) => labelled(n === 0 ? 'talk' : '', text)),
    ...(stop.advice === undefined ? [] : [labelled('', stop.advice)]),
    ...boundTexts(verdict).map((text) => doubtful(labelled('doubt', text))),
    ...notesOf(result, scenario).map((text) => doubtful(labelled('note', text))),
    ...(trust ? [paintTrust[trust.place](labelled('rig', trustInWords(trust)))] : []),
    ...attachedInWords(environment).map((text, n) => aside(labelled(n === 0 ? 'driver' : '', text))),
    ...thresholds.map((threshold) => {
      const mark = { yes: good('✓'), no: bad('✗'), open: doubtful('?') }[holdsOf(threshold)];
      return labelled('threshold', `${mark} ${threshold.text}  (${thresholdInWords(threshold, metrics)})`);
    }),
  ].join('\n');
}

const printed = ['p50', 'p90', 'p95', 'p99', 'p999', 'max'] as const;

function distributions({ metrics, verdict }: RunResult, scenario: Declaration, style: Style): string {
  const rows = Object.keys(scenario.metrics).flatMap((name) => {
    const metric = metrics[name];
    if (!metric || metric.count === 0) return [];
    const figures = printed.map((figure) => {
      const us = metric[figure];
      return withMark(milliseconds(us), us === null ? undefined : leastInWords(verdict, name, figure));
    });
    return [[name, ...figures, countText(metric.count)]];
  });
  if (rows.length === 0) return '';
  const unfinished = Object.entries(metrics).flatMap(([name, { unfinished: longer = 0 }]) =>
    longer > 0 ? [`–: or, for ${name}, it falls on ${countText(longer)} that did not come within the run`] : [],
  );
  const tooFew = tooFewInWords(metrics, scenario);
  const legend = [...(tooFew === '' ? [] : [tooFew]), ...unfinished, ...(verdict.doubts ? [marksInWords] : [])];
  const head = ['ms', ...printed.map(spelled), 'samples'];
  return [columnsOrBlocks(style.columns, head, rows), ...legend.map(paint(style).aside)].join('\n');
}

function intervals({ metrics }: RunResult, { headline: figures, publishes }: Declaration): string {
  const lines = figures.flatMap((column) => {
    if (column.kind !== 'figure') return [];
    const interval = intervalInWords(column, metrics);
    return interval === '' ? [] : [`${column.metric} ${column.figure} ${interval}`];
  });
  const over = publishes ? 'broadcasts' : 'slices of time';
  return lines.length > 0 ? `95 % interval of this stretch of this run, over ${over}, ms: ${lines.join(' · ')}` : '';
}

/** Formats the ledger. It is empty if all shards are lost, because their counts are unknown, not zero. */
function ledger({ ledger: books, shards: parts }: RunResult, scenario: Declaration): string {
  if (parts.every(({ state }) => state === 'lost')) return '';
  const lines = scenario.ledgerLines(books);
  const width = Math.max(...lines.map(([label]) => label.length));
  return lines.map(([label, text]) => `${label.padEnd(width)}  ${text}`).join('\n');
}

function footprint({ environment: { footprint: found } }: RunResult): string {
  if (!found) return '';
  return `memory      ${footprintInWords(found)} (line through ${found.points} readings of the ramp)`;
}

/** Names some occasions of causes. Other occasions have their own line in the ledger. */
const occasions = { connect: 'not connected', close: 'cut off', publish: 'not acked' };

function losses({ shards: parts }: RunResult): string {
  const all = sumCauses(parts.map(({ result }) => result?.causes ?? {}));
  return Object.entries(occasions)
    .flatMap(([occasion, title]) => {
      const causes = readableCauses(occasion, all[occasion] ?? {});
      return Object.keys(causes).length === 0 ? [] : [`${title.padEnd(13)}  ${causesInWords(causes)}`];
    })
    .join('\n');
}

function shards({ shards: parts, environment }: RunResult, style: Style): string {
  const { bad, aside } = paint(style);
  const troubled = parts.flatMap((part) =>
    troublesOf(part, environment).map((text) => (part.state === 'complete' ? aside : bad)(`${part.url}: ${text}`)),
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
  return [...troubled, ...[...loops, ...engineLines({ shards: parts })].map((line) => aside(line))].join('\n');
}

/** Formats the core time that the target and the shards did not get. Empty if no system counted it. */
function coreTime({ shards: parts, environment }: RunResult, style: Style): string {
  const waitedMs = targetCoreWaitMs(environment);
  const target = waitedMs === null ? [] : [`target: its threads waited ${(waitedMs / 1000).toFixed(2)} s for a core`];
  const stolen = parts.flatMap(({ result }) => {
    const share = result?.rig.shard.stolenShare;
    return share === undefined
      ? []
      : [`shard ${result?.slice.index}: the hypervisor took ${percent(share * 100)} of the CPU`];
  });
  return [...target, ...stolen].map((line) => paint(style).aside(line)).join('\n');
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
