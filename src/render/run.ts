import { stopInWords } from '../contract/stop-reasons.js';
import { toldCauses } from '../measure/causes.js';
import type { Declaration } from '../measure/declaration.js';
import { spelled } from '../measure/samples/distribution.js';
import type { RunResult } from '../results/result.js';
import { causesInWords, count } from '../units/words.js';
import { meanwhileLine } from './meanwhile.js';
import { atMostInWords, doubtMark, doubtTexts } from './words/doubts.js';
import { footprintReach, milliseconds } from './words/figures.js';
import { loadedLoops } from './words/loops.js';
import { networkInWords } from './words/network.js';
import { optionsInWords } from './words/options-in-words.js';
import { loadInWords } from './words/rig-load.js';
import { troublesOf } from './words/shard-words.js';
import { paint, type Style } from './words/style.js';
import { columns } from './words/table.js';
import { promisedInWords } from './words/values.js';
import { saidInWords, saidOf } from './words/verdict-words.js';

/** One run for the terminal: the verdict above the numbers, then the distributions, the ledger and what went wrong by cause. */
export function renderRun(result: RunResult, scenario: Declaration, style: Style): string {
  return [
    header(result, scenario, style),
    [
      verdict(result, style),
      ...doubts(result, style),
      ...notes(result, scenario, style),
      ...trustLine(result, style),
      ...promises(result, style),
    ].join('\n'),
    (scenario.figureLines?.(result.metrics, result.ledger, milliseconds) ?? []).join('\n'),
    distributions(result, scenario, style),
    intervals(result, scenario),
    network(result),
    [ledger(result, scenario), meanwhileLine(result, scenario)].filter((part) => part !== '').join('\n'),
    scenario.isCapacity ? footprint(result) : '',
    losses(result),
    shards(result, style),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function header(result: RunResult, scenario: Declaration, style: Style): string {
  const { title, aside } = paint(style);
  const { target, job } = result;
  const versions = Object.entries(target.versions).map(([name, version]) => `${name} ${version}`);
  const settings = Object.entries(target.settings).map(
    ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return [
    title(`${result.scenario}  ${target.name}`) + (versions.length > 0 ? `  (${versions.join(', ')})` : ''),
    `${optionsInWords(scenario, job.options)} · ${target.client} clients · ${job.shards} shard${job.shards > 1 ? 's' : ''}`,
    ...(settings.length > 0 ? [aside(`set otherwise than the library's default: ${settings.join(', ')}`)] : []),
    ...(target.client === 'library' && 'wait' in scenario.metrics
      ? [aside('the client library does not reconnect by itself: Ringside says when, as for every client')]
      : []),
  ].join('\n');
}

/** What may be believed of the numbers below it. */
function verdict(result: RunResult, style: Style): string {
  const { verdict: judged, stop } = result;
  const { good, doubtful, bad } = paint(style);
  const said = saidOf(result);
  const painted = { clean: good, short: doubtful, limited: doubtful, void: bad }[said];
  return [
    `verdict  ${painted(saidInWords[said])}`,
    ...judged.evidence.map(({ rule, text }) => `         ${rule}: ${text}`),
    `stop     ${stopInWords(stop)}`,
    ...(stop.advice === undefined ? [] : [`         ${stop.advice}`]),
  ].join('\n');
}

function doubts({ verdict: judged }: RunResult, style: Style): string[] {
  const { doubtful } = paint(style);
  return doubtTexts(judged).map((text) => doubtful(`doubt    ${text}`));
}

/** What the scenario has to say of a run with these options. */
function notes({ job }: RunResult, scenario: Declaration, style: Style): string[] {
  const { doubtful } = paint(style);
  return (scenario.notes?.(job.options) ?? []).map((text) => doubtful(`note     ${text}`));
}

/** Whether the machine was found right at such a load. */
function trustLine({ environment: { trust } }: RunResult, style: Style): string[] {
  if (!trust) return [];
  const { aside, doubtful } = paint(style);
  const at = trust.load ? loadInWords(trust.load) : '';
  const off = `p99 off by ${milliseconds(Math.abs(trust.p99ErrorUs ?? 0))} ms`;
  return {
    inside: [`trust    this machine’s rig was right at ${at} (${off})`],
    beyond: [doubtful(`trust    this machine’s rig was wrong at ${at} (${off}) already`)],
    untried: [aside('trust    this machine’s rig was calibrated, at no load as hard as this one of its protocol')],
    uncalibrated: [aside('trust    this machine’s rig was never held against known truth: run `ringside calibrate`')],
  }[trust.place];
}

function promises({ thresholds, metrics }: RunResult, style: Style): string[] {
  const { good, bad } = paint(style);
  return thresholds.map(
    (threshold) =>
      `promise  ${threshold.isKept ? good('✓') : bad('✗')} ${threshold.text}  (${promisedInWords(threshold, metrics)})`,
  );
}

const printed = ['p50', 'p90', 'p95', 'p99', 'p999', 'max'] as const;

function distributions({ metrics, verdict: judged }: RunResult, scenario: Declaration, style: Style): string {
  const rows = Object.keys(scenario.metrics).flatMap((name) => {
    const metric = metrics[name];
    if (!metric || metric.count === 0) return [];
    const figures = printed.map((figure) => {
      const us = metric[figure];
      return (us === null ? '' : doubtMark(judged, name, figure)) + milliseconds(us);
    });
    return [[name, ...figures, count(metric.count)]];
  });
  if (rows.length === 0) return '';
  return `${columns(['ms', ...printed.map(spelled), 'samples'], rows)}\n${paint(style).aside(
    [
      ['– : too few samples for that percentile', ...unfinished(metrics)].join('; '),
      ...(judged.doubts ? [atMostInWords] : []),
    ].join('\n'),
  )}`;
}

/** Of which distributions the figures are about more than the samples. */
function unfinished(metrics: RunResult['metrics']): string[] {
  return Object.entries(metrics).flatMap(([name, { unfinished: longer = 0 }]) =>
    longer > 0 ? [`of ${name}, or it falls on ${count(longer)} that took longer than the run`] : [],
  );
}

/** Of the headline percentiles: what other broadcasts of the same kind, or other slices of time, would have given. */
function intervals({ metrics }: RunResult, { headline, publishes }: Declaration): string {
  const lines = headline.flatMap((column) => {
    if (column.kind !== 'figure') return [];
    const [low, high] = metrics[column.metric]?.intervals[column.figure] ?? [];
    if (low === undefined || high === undefined) return [];
    return [`${column.metric} ${column.figure} ${milliseconds(low)} to ${milliseconds(high)}`];
  });
  return lines.length > 0
    ? `95 % interval over ${publishes ? 'broadcasts' : 'slices of time'}, ms: ${lines.join(' · ')}`
    : '';
}

/** What the network lost, where it lost anything. */
function network(result: RunResult): string {
  const words = networkInWords(result);
  return words === '' ? '' : `network  ${words}`;
}

/** Of shards that were all lost there are no books, which is not the same as books of nothing. */
function ledger({ ledger: books, shards: parts }: RunResult, scenario: Declaration): string {
  if (parts.every(({ state }) => state === 'lost')) return '';
  const lines = scenario.ledgerLines(books);
  const width = Math.max(...lines.map(([label]) => label.length));
  return lines.map(([label, text]) => `${label.padEnd(width)}  ${text}`).join('\n');
}

/** What a connection costs the target, where its memory could be seen. */
function footprint({ environment }: RunResult): string {
  const { footprint: found } = environment;
  if (!found) return '';
  const { bytesPerConnection, points } = found;
  return `memory      ${count(Math.round(bytesPerConnection))} ± ${count(Math.round(footprintReach(found)))} bytes per connection (line through ${points} readings of the ramp)`;
}

/** Other occasions part these up, and their part of the ledger says so. */
const occasions: Readonly<Record<string, string>> = {
  connect: 'not connected',
  close: 'cut off',
  publish: 'not acked',
};

function losses({ shards: parts }: RunResult): string {
  const byOccasion = new Map<string, Record<string, number>>();
  for (const { result } of parts) {
    for (const [occasion, causes] of Object.entries(result?.causes ?? {})) {
      const total = byOccasion.get(occasion) ?? {};
      for (const [cause, times] of Object.entries(causes)) total[cause] = (total[cause] ?? 0) + times;
      byOccasion.set(occasion, total);
    }
  }
  return [...byOccasion]
    .flatMap(([occasion, causes]) => {
      const title = occasions[occasion];
      return title === undefined || Object.keys(causes).length === 0
        ? []
        : [[title, toldCauses(occasion, causes)] as const];
    })
    .map(([title, causes]) => `${title.padEnd(13)}  ${causesInWords(causes)}`)
    .join('\n');
}

function shards({ shards: parts, environment }: RunResult, style: Style): string {
  const { bad, aside } = paint(style);
  const troubled = parts.flatMap((part) =>
    troublesOf(part, environment).map((text) => (part.state === 'complete' ? aside : bad)(`${part.url}: ${text}`)),
  );
  const rig = parts.flatMap(({ result }) =>
    (result ? loadedLoops(result) : []).map(
      (worker) =>
        `shard ${result?.slice.index} ${worker.role === 'publisher' ? 'publisher' : `worker ${worker.index}`}: busy ${(worker.utilization * 100).toFixed(0)} %, ` +
        `loop delay p99 ${worker.loopDelayP99Ms.toFixed(1)} ms, longest GC pause ${worker.gcMaxMs.toFixed(1)} ms`,
    ),
  );
  return [...troubled, ...rig.map((line) => aside(line))].join('\n');
}
