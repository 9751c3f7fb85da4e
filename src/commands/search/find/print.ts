import { milliseconds } from '../../../render/words/figures.js';
import { paint, type Style } from '../../../render/words/style.js';
import { columns } from '../../../render/words/table.js';
import { withMark } from '../../../render/words/verdict-words.js';
import { rate } from '../../../units/rate.js';
import type { Finding, FindingPoint } from './schema.js';

/** A search for the terminal: every rate in order, and between which two the threshold breaks. */
export function renderFinding(finding: Finding, style: Style): string {
  const { title, good, doubtful, bad } = paint(style);
  const say = { clean: good, limited: doubtful, void: bad };
  const rows = finding.points.map((point) => [
    rate.print(round(point.ratePerSecond)),
    withMark(milliseconds(point.figure), endOf(point)),
    stateOf(point, style),
    say[point.rig](point.rig),
  ]);
  const limit = `${finding.metric}.${finding.percentile} < ${milliseconds(finding.limit)} ms`;
  return [
    title(`${finding.scenario}  ${finding.target}  the highest rate with ${limit}`),
    '',
    columns(['rate', `${finding.metric} ${finding.percentile}, ms`, 'threshold', 'verdict'], rows, [2, 3]),
    '',
    outcome(finding),
    ...(finding.endedBecause === '' ? [] : [`ended early: ${finding.endedBecause}`]),
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
  if (highestKept === null && lowestBroken === null) return 'nothing was measured';
  if (lowestBroken === null) return `kept up to ${rate.print(round(highestKept ?? 0))}, the highest rate tried`;
  if (highestKept === null) return `broken at every rate tried, down to ${rate.print(round(lowestBroken))}`;
  return `kept up to ${rate.print(round(highestKept))}, broken at ${rate.print(round(lowestBroken))}`;
}

function round(perSecond: number): number {
  return Number(perSecond.toPrecision(3));
}
