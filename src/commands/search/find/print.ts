import { milliseconds } from '../../../render/words/figures.js';
import { paint, type Style } from '../../../render/words/style.js';
import { columns } from '../../../render/words/table.js';
import { doubtedInWords } from '../../../render/words/verdict-words.js';
import { rate } from '../../../units/list.js';
import type { Finding } from './schema.js';

/** A search for the terminal: between which two rates the threshold breaks, then every rate in order. */
export function renderFinding(finding: Finding, style: Style): string {
  const { title, good, doubtful, bad } = paint(style);
  const say = { clean: good, limited: doubtful, void: bad };
  const rows = finding.points.map((point) => [
    perSecond(point.ratePerSecond),
    milliseconds(point.figure),
    point.isKept ? good('kept') : bad(point.why === '' ? 'broken' : `broken: ${point.why}`),
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
  return points.flatMap(({ ratePerSecond, rig }) =>
    rig === 'clean' || ![highestKept, lowestBroken].includes(ratePerSecond)
      ? []
      : `The run at ${perSecond(ratePerSecond)} is ${rig}: ${doubtedInWords[rig]}.`,
  );
}

function perSecond(value: number | null): string {
  return value === null ? '–' : rate.print(Number(value.toPrecision(3)));
}
