import { type ThresholdFigure, thresholdFigures } from '../threshold.js';
import { allowedUs, rigPart, usInMs } from './brackets.js';
import { percent } from './evidence.js';
import type { FigureRule, LinkFacts, Mark, MetricFacts } from './facts.js';

/** What the network between the rig and the target can add to figures. */
export const linkRules: readonly FigureRule[] = [
  {
    rule: 'link-lossy',
    level: 'figure',
    threshold: `without the samples that lost segments can have delayed, a figure falls by ${rigPart}`,
    reason: 'a lost segment costs a TCP timer of 200 ms or more; the kernel counts for a whole network namespace',
    marks: ({ metrics, link }) =>
      Object.entries(link?.least ?? {}).flatMap(([metric, least]) => marksIn(metric, metrics[metric], least, link)),
  },
];

/** One text for all figures of a metric. */
function marksIn(
  metric: string,
  whole: MetricFacts | undefined,
  least: Partial<Record<ThresholdFigure, number | null>>,
  link: LinkFacts | undefined,
): Mark[] {
  const fallen = thresholdFigures.flatMap((figure) => {
    const [us, leastUs] = [whole?.[figure] ?? null, least[figure] ?? null];
    return us !== null && leastUs !== null && us - leastUs > allowedUs(us) ? [{ figure, us, leastUs }] : [];
  });
  if (link === undefined || fallen.length === 0) return [];
  const most = usInMs(Math.max(...fallen.map(({ us, leastUs }) => us - leastUs)));
  const share = percent(link.lateShare);
  const text = `lost segments can have delayed ${share} of ${metric} by up to ${most}: ${link.text}`;
  return fallen.map(({ figure, leastUs }) => ({ metric, figure, leastUs, text }));
}
