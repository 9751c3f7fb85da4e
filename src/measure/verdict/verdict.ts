import { type ThresholdFigure, thresholdFigures } from '../threshold.js';
import { allowedUs, rigPart, usInMs } from './brackets.js';
import {
  type FigureRule,
  type LinkFacts,
  type Mark,
  type MetricFacts,
  percent,
  type RuledMark,
  type RunFacts,
  type RunRule,
} from './facts.js';
import { fleetRules } from './fleet-rules.js';
import { loopRules } from './loop-rules.js';
import { machineRules } from './machine-rules.js';
import { targetRules } from './target-rules.js';
import { voidRules } from './void-rules.js';

/** Lists the rules for the network between the rig and the target that can add to figures. */
export const linkRules: readonly FigureRule[] = [
  {
    rule: 'link-lossy',
    level: 'figure',
    cause: 'lost segments',
    threshold: `without the samples that lost segments can have delayed, a figure falls by ${rigPart}`,
    reason: 'a lost segment costs a TCP timer of 200 ms or more; the kernel counts for a whole network namespace',
    marks: ({ metrics, link }) =>
      Object.entries(link?.least ?? {}).flatMap(([metric, least]) => marksIn(metric, metrics[metric], least, link)),
  },
];

/** Marks the figures that lost segments can have raised. All figures of a metric share one text. */
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

/** Lists the rules that judge a run as a whole, gravest first. */
export const runRules: readonly RunRule[] = [...voidRules, ...fleetRules];

/** Lists the rules that mark figures of a valid run. */
export const figureRules: readonly FigureRule[] = [...loopRules, ...machineRules, ...linkRules, ...targetRules];

/** Lists all rules of the verdict, gravest first. */
export const verdictRules: readonly (RunRule | FigureRule)[] = [...runRules, ...figureRules];

/** Judges if the test that ran is the one asked for. Marks each figure that the rig may have raised. */
export function judge(facts: RunFacts): {
  rig: 'clean' | 'limited' | 'void';
  evidence: { rule: string; level: 'limited' | 'void'; text: string }[];
  doubts?: RuledMark[];
} {
  const evidence = runRules.flatMap(({ rule, level, check }) => {
    const text = check(facts);
    return text === undefined ? [] : [{ rule, level, text }];
  });
  const isVoid = evidence.some(({ level }) => level === 'void');
  const doubts = figureRules.flatMap(({ rule, marks }) => marks(facts).map((mark) => ({ rule, ...mark })));
  return {
    rig: isVoid ? 'void' : evidence.length > 0 ? 'limited' : 'clean',
    evidence,
    ...(doubts.length > 0 && { doubts }),
  };
}
