import type { MetricSpec } from '../declaration.js';
import { thresholdFigures } from '../threshold.js';
import type { Waited } from '../waits.js';
import { allowedUs, figureOf, isOpen, leastByBracketUs, openPart, rigPart } from './brackets.js';
import { type FigureRule, type Mark, type RunFacts, type WaitFacts, wholePercent } from './facts.js';

/** Rarer waits affect no figure below the p99. */
const noticedFrom = 0.01;
/** At this share, waits affect most figures, also those of unknown time. */
const starvedFrom = 0.1;

/** The cores are read each half second. */
const leastWindowMs = 1000;

/** Names the rule that applies if other programs slowed the target down, not the rig. */
export const targetStarved = 'target-starved';

/** Lists the rules for other programs on the target's machine that can add to figures. */
export const targetRules: readonly FigureRule[] = [
  {
    rule: targetStarved,
    level: 'figure',
    cause: 'other programs on the target’s cores',
    threshold:
      `threads of a managed target wait for cores that others hold ${wholePercent(noticedFrom)} of at least ` +
      `${leastWindowMs / 1000} s, and a figure falls by ${rigPart} without those waits; from ` +
      `${wholePercent(starvedFrom)} on by ${openPart}, or the waits of a metric are not known by broadcast`,
    reason: 'the target could not run while other programs, or a rig on its machine, held its cores',
    marks: (facts) => {
      const { waits } = facts;
      if (waits === undefined) return [];
      return Object.entries(facts.declared).flatMap(([metric, spec]) => {
        const waited = spec.stampedBy === 'ramp' ? waits.ramp : waits.load;
        return shareOf(waited) < noticedFrom ? [] : marksOf(facts, waits, waited, [metric, spec]);
      });
    },
  },
];

const shareOf = ({ othersMs, windowMs }: Waited): number => (windowMs < leastWindowMs ? 0 : othersMs / windowMs);

function marksOf(
  facts: RunFacts,
  { least, ramp }: WaitFacts,
  waited: Waited,
  [metric, { of, fromIntended }]: [string, Partial<MetricSpec>],
): Mark[] {
  const isStarved = shareOf(waited) >= starvedFrom;
  if (of === 'rig' || (facts.metrics[metric]?.count ?? 0) === 0) return [];
  const text = waitedInWords(waited, waited === ramp ? 'ramp' : 'load');
  const known = least[fromIntended?.sent ?? metric];
  if (known === undefined) return isStarved ? [{ metric, figure: null, leastUs: 0, text }] : [];
  // Rare waits do not affect the fastest sample.
  const figures = thresholdFigures.filter((figure) => isStarved || figure !== 'min');
  return figures.flatMap((figure) => {
    const us = figureOf(facts, metric, figure);
    const leastUs = known[figure] ?? null;
    if (us === null || leastUs === null) return [];
    const addedUs = (leastByBracketUs(facts, metric, figure) ?? us) - leastUs;
    const isAdded = isStarved ? isOpen(us, addedUs) : addedUs > allowedUs(us);
    return isAdded ? [{ metric, figure, leastUs, text }] : [];
  });
}

/** Describes the wait. Several threads can wait at once, so the sum may exceed the window. */
function waitedInWords({ othersMs, windowMs }: Waited, of: 'load' | 'ramp'): string {
  const [waited, took] = [(othersMs / 1000).toFixed(2), (windowMs / 1000).toFixed(1)];
  return `other programs held the target’s cores: its threads waited ${waited} s for one, in ${took} s of ${of}`;
}
