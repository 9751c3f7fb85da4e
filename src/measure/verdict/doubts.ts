import { spelled } from '../samples/distribution.js';
import { isKept } from '../threshold.js';
import { allowedUs, figureOf, usInMs, waitedUs } from './brackets.js';
import type { Doubt, RunFacts, ThresholdFacts, VerdictRule } from './facts.js';
import { linkDoubts } from './link-rules.js';
import { loopRules } from './loop-rules.js';

/** Beyond p99 one stall of the machine can be the figure: the figure is marked, the run is not limited. */
const beyondP99 = { p999: spelled('p999'), max: 'max' } as const;
const ofRamp = new Set(['loop-delay', 'loop-utilization', 'core-starved']);

/** The figures that the rig may have moved: by waits in its loops, by lost segments, and by loops in the ramp. */
export function doubtsOf(facts: RunFacts): Doubt[] {
  return [...tailDoubts(facts), ...linkDoubts(facts), ...rampDoubts(facts)];
}

function tailDoubts(facts: RunFacts): Doubt[] {
  return (Object.keys(beyondP99) as (keyof typeof beyondP99)[]).flatMap((figure) =>
    Object.entries(facts.declared).flatMap(([metric, { fromIntended }]) => {
      const whole = figureOf(facts, metric, figure);
      const sent = fromIntended?.sent ?? metric;
      const sinceSent = figureOf(facts, sent, figure);
      if (whole === null || sinceSent === null) return [];
      const lags = fromIntended && facts.metrics[fromIntended.lag];
      const lateUs = Math.max(0, Math.min(lags?.[figure] ?? lags?.max ?? 0, whole - sinceSent));
      return doubt(metric, figure, whole, (waitedUs(facts, sent, figure) ?? 0) + lateUs);
    }),
  );
}

function doubt(metric: string, figure: keyof typeof beyondP99, us: number, rigUs: number): Doubt[] {
  const text = `${metric} ${beyondP99[figure]}: of ${usInMs(us)} up to ${usInMs(rigUs)} may be the rig’s`;
  return rigUs > allowedUs(us) ? [{ metric, figure, leastUs: us - rigUs, text }] : [];
}

/** What the rules about loops say of the ramp. */
function rampDoubts(facts: RunFacts): Doubt[] {
  const shards = facts.shards.map((shard) => ({
    ...shard,
    workers: shard.workers.flatMap(({ ramp, ...worker }) => (ramp ? [{ ...worker, ...ramp }] : [])),
  }));
  return Object.entries(facts.declared).flatMap(([metric, { stampedBy }]): Doubt[] => {
    if (stampedBy !== 'ramp' || !facts.metrics[metric]?.count) return [];
    const ramp: RunFacts = { ...facts, shards, declared: { [metric]: { stampedBy: 'audience' } } };
    const said = loopRules.flatMap(({ rule, check }) => (ofRamp.has(rule) ? (check(ramp) ?? []) : []));
    if (said.length === 0) return [];
    return [{ metric, figure: null, leastUs: 0, text: `${metric}: in the ramp ${said.join('; ')}` }];
  });
}

/** What a threshold makes of a doubt. */
export const doubtRules: readonly VerdictRule[] = [
  {
    rule: 'promise-undecided',
    level: 'limited',
    threshold: 'the rig’s part of a figure decides a threshold',
    reason: 'with the rig’s part the threshold breaks, without it it holds, so neither can be said of the target',
    check: (facts) => {
      const doubts = doubtsOf(facts);
      const said = facts.thresholds.flatMap((threshold) => {
        const decisive = doubts.find((each) => isUndecided(threshold, each));
        return decisive ? [`${threshold.text}, and ${decisive.text}`] : [];
      });
      return said.join('; ') || undefined;
    },
  },
];

function isUndecided(threshold: ThresholdFacts, { metric, figure, leastUs }: Doubt): boolean {
  if (threshold.kind !== 'figure' || threshold.metric !== metric || threshold.value === null) return false;
  if (figure !== null && figure !== threshold.figure) return false;
  return isKept(threshold, threshold.value) !== isKept(threshold, leastUs);
}
