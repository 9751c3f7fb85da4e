import type { ShardResult, WorkerSelf } from '../../contract/shard.js';
import { isPart, stopInWords } from '../../contract/stop-reasons.js';
import type { Declaration, HeadlineColumn } from '../../measure/declaration.js';
import { tcpInWords } from '../../measure/tcp.js';
import type { ThresholdFigure } from '../../measure/threshold.js';
import { targetStarved } from '../../measure/verdict/machine-rules.js';
import { figureRules } from '../../measure/verdict/verdict.js';
import type { ComparisonRow } from '../../results/comparison.js';
import { isAbout, isBounded, leastByBounds, leastShare, type RigBound } from '../../results/figures.js';
import { isPlannedEnd, type RunResult, type ShardPart, type Trust, tcpOf, type Verdict } from '../../results/result.js';
import { countText, plural } from '../../units/text.js';
import { bytes, rate } from '../../units/unit.js';
import type { TextPiece } from '../document/document.js';
import { milliseconds } from './values.js';

export const failedInWords = {
  limited: 'the load generator reached a limit, so this may be another test than was asked for',
  void: 'these figures mean nothing',
} as const;

/** The words that describe a run, best first: its verdict, or for a clean run what else the user must know. */
export const runWords = {
  clean: { text: 'clean: no sign of the load generator in these figures', tone: 'good' },
  bounded: { text: 'bounded: the target’s own figures may be lower, but not below (≥x)', tone: 'doubtful' },
  starved: { text: 'STARVED: the target’s own figures may be lower than these', tone: 'doubtful' },
  short: { text: 'SHORT: the run did not do its whole job', tone: 'doubtful' },
  limited: { text: `LIMITED: ${failedInWords.limited}`, tone: 'doubtful' },
  void: { text: `VOID: ${failedInWords.void}`, tone: 'bad' },
} as const satisfies Record<string, TextPiece>;

type RunWord = keyof typeof runWords;

export function saidOf(result: Pick<RunResult, 'verdict' | 'stop'>, scenario: Declaration): RunWord {
  const { verdict, stop } = result;
  if (verdict.rig !== 'clean') return verdict.rig;
  if (!isPlannedEnd(stop.code, scenario)) return 'short';
  if (starvedInWords(verdict, scenario) !== undefined) return 'starved';
  return headlineBounds(result, scenario, true).length > 0 ? 'bounded' : 'clean';
}

/** Returns how long others kept the target from its cores, if that affects a headline figure below the maximum. */
export function starvedInWords({ bounds = [] }: Verdict, { headline }: Pick<Declaration, 'headline'>) {
  const figures = headline.filter((column) => column.kind === 'figure' && column.figure !== 'max');
  const starved = bounds.filter(({ rule }) => rule === targetStarved);
  return starved.find((bound) =>
    figures.some((column) => column.kind === 'figure' && isAbout(bound, column.metric, column.figure)),
  )?.text;
}

export function bySaid(runs: readonly RunResult[], scenario: Declaration): { said: RunWord; runs: RunResult[] }[] {
  return (Object.keys(runWords) as RunWord[])
    .map((said) => ({ said, runs: runs.filter((run) => saidOf(run, scenario) === said) }))
    .filter((each) => each.runs.length > 0);
}

/** Formats the verdict of one run, with what may have been added to its headline. */
export function verdictInWords(result: Pick<RunResult, 'verdict' | 'stop'>, scenario: Declaration): string {
  const said = saidOf(result, scenario);
  const isEnded = isPart(result.stop.code) && result.verdict.rig === 'clean';
  const text = isEnded ? stopInWords(result.stop) : runWords[said].text;
  const rules = new Set(headlineBounds(result, scenario, true).map(({ rule }) => rule));
  const causes = figureRules.flatMap(({ rule, cause }) => (rules.has(rule) ? [cause] : []));
  if (causes.length === 0 || ['starved', 'limited', 'void'].includes(said)) return text;
  const added = said === 'bounded' ? 'why' : 'the load generator may have added to figures';
  return `${text}; ${added}: ${causes.join(', ')}`;
}

export const boundsInWords =
  '(≥x): the target’s own figure is x or more; ≤: it is this or less; ' +
  'load generator, network or other programs may have added the rest';

/** Returns the texts of the bounds of figures, each text once with its rule. */
export function boundTexts({ bounds = [] }: Verdict): string[] {
  return [...new Set(bounds.map(({ rule, text }) => (rule === undefined ? text : `${rule}: ${text}`)))];
}

/** Formats a figure with its bound: `2.60 (≥1.90)`, or `≤2.60` if its lower end is unknown. Equal ends need none. */
export function withBound(text: string, least: string | undefined): string {
  if (least === undefined || least === text) return text;
  return least === '' ? `≤${text}` : `${text} (≥${least})`;
}

/** Formats the lower end of a bounded figure in milliseconds. Empty if unknown, undefined without a bound. */
export function leastInWords(verdict: Verdict, metric: string, figure: ThresholdFigure): string | undefined {
  const us = leastByBounds(verdict, metric, figure);
  return us === undefined ? undefined : endInWords(us);
}

const endInWords = (us: number): string => (us > 0 ? milliseconds(us) : '');

/** Formats the lower end of a cell's median over the runs of a row, as `leastInWords` does. */
export function leastOfCell(
  column: HeadlineColumn,
  row: Pick<ComparisonRow, 'runs'>,
  medianUs: number,
  scenario: Declaration,
): string | undefined {
  if (!isBoundedCell(column, row)) return undefined;
  const runs = row.runs.map(({ result }) => result);
  return endInWords(medianUs * leastShare(column, runs, scenario));
}

export function isBoundedCell(column: HeadlineColumn, { runs }: Pick<ComparisonRow, 'runs'>): boolean {
  return isBounded(
    column,
    runs.map(({ result }) => result),
  );
}

/** Names the figures that a run prints in brief of each metric in its headline. */
export const figuresInBrief = ['p50', 'p95', 'p99', 'max'] as const;

/** Returns the bounds of figures in the headline; in brief, also of those that a run prints beside them. */
export function headlineBounds(
  { verdict: { bounds = [] } }: Pick<RunResult, 'verdict'>,
  { headline }: Pick<Declaration, 'headline'>,
  isBrief = false,
): RigBound[] {
  const columns = headline.flatMap((column) => (column.kind === 'figure' ? [column] : []));
  const beside = isBrief ? figuresInBrief : [];
  return bounds.filter((each) =>
    columns.some(({ metric, figure }) => [figure, ...beside].some((name) => isAbout(each, metric, name))),
  );
}

/** States in a sentence if calibration found the machine right at such a load. */
export function trustInWords({ place, load, p99ErrorUs, otherEngine }: Trust): string {
  const at = load ? loadInWords(load) : '';
  const off = `p99 off by ${milliseconds(Math.abs(p99ErrorUs ?? 0))} ms`;
  const unlike =
    otherEngine === undefined
      ? 'at no load as hard as this one with this protocol'
      : `with no load on the ${otherEngine} engine: run \`ringside calibrate\` with this --engine`;
  return {
    inside: `calibrated: this machine was right at ${at} (${off})`,
    beyond: `calibrated: this machine was already wrong at ${at} (${off})`,
    untried: `calibrated, but ${unlike}`,
    uncalibrated: 'not calibrated: run `ringside calibrate` on this machine',
  }[place];
}

type Load = NonNullable<Trust['load']>;

/** Formats a calibrated load: `1,000 subscribers × 10/s × 200b on 1 × 1 loop`. */
export function loadInWords(load: Load): string {
  return `${countText(load.clients)} subscribers × ${rateAndSize(load)} on ${loopsInWords(load)}`;
}

/** Formats `10/s × 200b`, with the size if it is known. */
export function rateAndSize({ ratePerSecond, payloadBytes }: Pick<Load, 'ratePerSecond' | 'payloadBytes'>): string {
  return [rate.print(ratePerSecond), ...(payloadBytes === undefined ? [] : [bytes.print(payloadBytes)])].join(' × ');
}

export function loopsInWords({ shards, workers }: Pick<Load, 'shards' | 'workers'>): string {
  return `${shards} × ${plural(workers, 'loop')}`;
}

/** Describes the losses of TCP in a sentence. Empty if nothing was lost or counted. */
export function networkInWords({ shards }: Pick<RunResult, 'shards'>): string {
  const counts = tcpOf(shards);
  const words = counts === undefined ? '' : tcpInWords(counts);
  return words === '' ? '' : `${words} (all sockets in the network namespaces of the bench-runners)`;
}

export function loadedLoops({ rig }: Pick<ShardResult, 'rig'>): readonly WorkerSelf[] {
  return rig.workers.filter(({ windowMs }) => windowMs > 0);
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

/** Describes the problems of a shard, a line each: why it is incomplete, its last report, and its silent times. */
export function troublesOf(part: ShardPart, { loadAtMs }: Pick<RunResult['environment'], 'loadAtMs'>): string[] {
  const { state, why, lastSeen, silences = [], result } = part;
  const silent = silences.map(({ fromMs, toMs }) => `${seconds(toMs - fromMs)} from ${seconds(fromMs - loadAtMs)} on`);
  const counted = Object.entries(lastSeen?.progress ?? {}).filter(([, value]) => value > 0);
  const figures = counted.map(([name, value]) => `${name} ${countText(value)}`).join(', ') || 'nothing counted yet';
  return [
    ...(state === 'complete' ? [] : [`${state}: ${why}`]),
    ...(lastSeen ? [`last seen at ${seconds(lastSeen.atMs - loadAtMs)} in ${lastSeen.stage}: ${figures}`] : []),
    ...(result && silent.length > 0 ? [`no answer for ${silent.join('; ')}; ${extentOf(state, result)}`] : []),
  ];
}

/** Describes the time since the start of the load that the samples of a silent shard cover. */
function extentOf(state: ShardPart['state'], { stages }: ShardResult): string {
  const [first, last] = [stages[0], stages.at(-1)];
  if (state === 'complete' || !first || !last) return 'its samples are complete';
  return `its samples end at ${seconds(last.atMs + last.durationMs - first.atMs)}`;
}
