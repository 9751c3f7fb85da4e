import { spelled } from '../samples/distribution.js';
import { ms, percent } from './evidence.js';
import type { Doubt, RunFacts, VerdictRule } from './facts.js';
import { allowedUs } from './loop-rules.js';

const bracketed = ['p50', 'p90', 'p95', 'p99'] as const;
const beyondP99 = ['p999', 'max'] as const;

/** A figure of which lost segments can have written more than the rig may add. */
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

/** The figures that lost segments can have written, each with the least that is the target’s; one text for all of a metric. */
export function linkDoubts(facts: RunFacts): Doubt[] {
  const all = lossyIn(facts, [...bracketed, ...beyondP99]);
  return all.map(({ metric, figure, leastUs }) => {
    const own = all.filter((each) => each.metric === metric);
    const most = Math.max(...own.map((each) => each.us - each.leastUs));
    const text = `${own.map(nameOf).join(', ')}: up to ${ms(most / 1000)} may be the wait for lost segments`;
    return { metric, figure, leastUs, text };
  });
}

/** What speaks against the network between the rig and the target. */
export const linkRules: readonly VerdictRule[] = [
  {
    rule: 'link-lossy',
    level: 'limited',
    threshold:
      'segments with data lost of those sent, and segments out of order of those received, counted double: a share of deliveries so large that a percentile up to p99 without its slowest deliveries of that share is a fifth and a millisecond lower',
    reason:
      'a lost segment makes a delivery late by a timer of TCP, 200 ms and more, which is neither the target’s nor the rig’s; the kernel counts for a network namespace, other traffic in it among them',
    check: (facts) => {
      const [worst, ...others] = lossyIn(facts, bracketed).sort((a, b) => b.us - b.leastUs - (a.us - a.leastUs));
      if (worst === undefined || facts.link === undefined) return undefined;
      const more = others.length > 0 ? ` (and ${others.length} more figures)` : '';
      return `lost segments can have delayed ${percent(facts.link.lateShare)} of the deliveries, and ${nameOf(worst)} ${ms(worst.us / 1000)} by up to ${ms((worst.us - worst.leastUs) / 1000)}${more}: ${facts.link.text}`;
    },
  },
];
