import { milliseconds } from '../../../render/words/figures.js';
import { paint, type Style } from '../../../render/words/style.js';
import { columns } from '../../../render/words/table.js';
import { doubtedInWords, withMark } from '../../../render/words/verdict-words.js';
import { rate } from '../../../units/list.js';
import type { Finding, FindingPoint } from './schema.js';

/** A search for the terminal: between which two rates the threshold breaks, then every rate in order. */
export function renderFinding(finding: Finding, style: Style): string {
  const { title, good, doubtful, bad } = paint(style);
  const say = { clean: good, limited: doubtful, void: bad };
  const rows = finding.points.map((point) => [
    perSecond(point.ratePerSecond),
    withMark(milliseconds(point.figure), endOf(point)),
    stateOf(point, style),
    say[point.rig](point.rig),
  ]);
  const limit = `${finding.metric}.${finding.percentile} < ${milliseconds(finding.limit)} ms`;
  return [
    title(`find  ${finding.scenario} of ${finding.target}, the highest rate with ${limit}`),
    outcome(finding),
    ...(finding.endedBecause === '' ? [] : [doubtful(`The search ended early: ${finding.endedBecause}`)]),
    ...doubtsAtEdges(finding).map((text) => doubtful(text)),
    '',
    columns(['rate', `${finding.metric} ${finding.percentile}, ms`, 'threshold', 'verdict'], rows, [2, 3]),
  ].join('\n');
}

/** The lower end of a figure of which the rig's part decides the threshold. */
function endOf({ undecidedFromUs: from }: FindingPoint): string | undefined {
  return from === undefined ? undefined : from > 0 ? milliseconds(from) : '';
}

function stateOf({ isKept, undecidedFromUs, why }: FindingPoint, style: Style): string {
  const { good, doubtful, bad } = paint(style);
  if (why !== '') return bad(`broken: ${why}`);
  if (undecidedFromUs !== undefined) return doubtful('undecided');
  return isKept ? good('kept') : bad('broken');
}

function outcome({ highestKept, lowestBroken }: Finding): string {
  if (highestKept === null && lowestBroken === null) return 'No rate could be judged.';
  if (lowestBroken === null)
    return `The target keeps the threshold at every rate tried, up to ${perSecond(highestKept)}.`;
  if (highestKept === null)
    return `The target breaks the threshold at every rate tried, down to ${perSecond(lowestBroken)}.`;
  return `The target keeps the threshold up to ${perSecond(highestKept)} and breaks it at ${perSecond(lowestBroken)}.`;
}

/** The edges that do not belong to the target alone, in sentences. */
function doubtsAtEdges({ points, highestKept, lowestBroken }: Finding): string[] {
  return points.flatMap(({ ratePerSecond, rig, undecidedFromUs }) => {
    if (![highestKept, lowestBroken].includes(ratePerSecond)) return [];
    const run = `The run at ${perSecond(ratePerSecond)}`;
    if (rig !== 'clean') return [`${run} is ${rig}: ${doubtedInWords[rig]}.`];
    return undecidedFromUs === undefined
      ? []
      : [`${run} decides nothing: the rig may have added what breaks the limit.`];
  });
}

function perSecond(value: number | null): string {
  return value === null ? '–' : rate.print(Number(value.toPrecision(3)));
}
