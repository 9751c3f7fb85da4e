import { milliseconds } from '../../../render/words/figures.js';
import { paint, type Style } from '../../../render/words/style.js';
import { columns } from '../../../render/words/table.js';
import { rate } from '../../../units/rate.js';
import type { Finding } from './schema.js';

/** A search for the terminal: every rate that was tried, in order, and between which two the limit lies. */
export function renderFinding(finding: Finding, style: Style): string {
  const { title, good, doubtful, bad } = paint(style);
  const say = { clean: good, limited: doubtful, void: bad };
  const rows = finding.points.map((point) => [
    rate.print(round(point.ratePerSecond)),
    milliseconds(point.figure),
    point.isKept ? good('kept') : bad(point.why === '' ? 'passed' : `passed: ${point.why}`),
    say[point.rig](point.rig),
  ]);
  const limit = `${finding.metric}.${finding.percentile} < ${milliseconds(finding.limit)} ms`;
  return [
    title(`${finding.scenario}  ${finding.target}  the rate at which ${limit} is passed`),
    '',
    columns(['rate', `${finding.metric} ${finding.percentile}, ms`, 'limit', 'verdict'], rows, [2, 3]),
    '',
    outcome(finding),
    ...(finding.endedBecause === '' ? [] : [`ended early: ${finding.endedBecause}`]),
  ].join('\n');
}

function outcome({ highestKept, lowestBroken }: Finding): string {
  if (highestKept === null && lowestBroken === null) return 'nothing was measured';
  if (lowestBroken === null) return `kept up to ${rate.print(round(highestKept ?? 0))}, the highest rate tried`;
  if (highestKept === null) return `passed at every rate tried, down to ${rate.print(round(lowestBroken))}`;
  return `kept up to ${rate.print(round(highestKept))}, passed at ${rate.print(round(lowestBroken))}`;
}

/** Rates of a search are geometric means; three digits of them are enough to be read. */
function round(perSecond: number): number {
  return Number(perSecond.toPrecision(3));
}
