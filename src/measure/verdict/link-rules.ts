import { spelled } from '../samples/distribution.js';
import { allowedUs, bracketed, usInMs } from './brackets.js';
import { percent } from './evidence.js';
import type { Doubt, RunFacts, VerdictRule } from './facts.js';

const beyondP99 = ['p999', 'max'] as const;

/** A figure that lost segments can have moved by more than the rig may. */
interface Lossy {
  metric: string;
  figure: (typeof bracketed | typeof beyondP99)[number];
  us: number;
  leastUs: number;
}

function lossyIn({ metrics, link }: RunFacts, figures: readonly Lossy['figure'][]): Lossy[] {
  return Object.entries(link?.least ?? {}).flatMap(([metric, least]) =>
    figures.flatMap((figure) => {
      const [us, leastUs] = [metrics[metric]?.[figure] ?? null, least[figure] ?? null];
      return us !== null && leastUs !== null && us - leastUs > allowedUs(us) ? [{ metric, figure, us, leastUs }] : [];
    }),
  );
}

function nameOf({ metric, figure }: Pick<Lossy, 'metric' | 'figure'>): string {
  return `${metric} ${spelled(figure)}`;
}

/** The figures that lost segments can have moved, each with its lower end; one text for all of a metric. */
export function linkDoubts(facts: RunFacts): Doubt[] {
  const all = lossyIn(facts, [...bracketed, ...beyondP99]);
  return all.map(({ metric, figure, leastUs }) => {
    const own = all.filter((each) => each.metric === metric);
    const most = Math.max(...own.map((each) => each.us - each.leastUs));
    const text = `${own.map(nameOf).join(', ')}: up to ${usInMs(most)} may be the wait for lost segments`;
    return { metric, figure, leastUs, text };
  });
}

/** What speaks against the network between the rig and the target. */
export const linkRules: readonly VerdictRule[] = [
  {
    rule: 'link-lossy',
    level: 'limited',
    threshold:
      'without the samples that lost segments can have delayed, a percentile up to p99 falls by a fifth and 1 ms',
    reason: 'a lost segment costs a TCP timer of 200 ms or more; the kernel counts for a whole network namespace',
    check: (facts) => {
      const [worst, ...others] = lossyIn(facts, bracketed).sort((a, b) => b.us - b.leastUs - (a.us - a.leastUs));
      if (worst === undefined || facts.link === undefined) return undefined;
      const more = others.length > 0 ? ` (and ${others.length} more figures)` : '';
      const { lateShare, text } = facts.link;
      const figure = `${nameOf(worst)} ${usInMs(worst.us)} by up to ${usInMs(worst.us - worst.leastUs)}${more}`;
      return `lost segments can have delayed ${percent(lateShare)} of the samples, and ${figure}: ${text}`;
    },
  },
];
