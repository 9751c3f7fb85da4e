import { spelled } from '../samples/distribution.js';
import { isKept } from '../threshold.js';
import { ms } from './evidence.js';
import type { Doubt, PromiseFacts, RunFacts, VerdictRule } from './facts.js';
import { linkDoubts } from './link-rules.js';
import { allowedUs, loopRules } from './loop-rules.js';

/** Beyond p99 one stall of the machine, which every long run has, can be the figure: that is said of the figure, and not held against the run. */
const beyondP99 = { p999: spelled('p999'), max: 'max' } as const;
const ofRamp = new Set(['loop-delay', 'loop-utilization', 'core-starved']);

/** The figures of a run that the rig may have written: tails by what their deliveries can have waited in it, what its network lost, and what its loops stamped in the ramp. */
export function doubtsOf(facts: RunFacts): Doubt[] {
  return [...tailDoubts(facts), ...linkDoubts(facts), ...rampDoubts(facts)];
}

function tailDoubts({ metrics }: RunFacts): Doubt[] {
  return (Object.keys(beyondP99) as (keyof typeof beyondP99)[]).flatMap((figure) => {
    const whole = metrics.delivery?.[figure] ?? null;
    const least = metrics.deliveryAtLeast?.[figure] ?? null;
    if (whole === null || least === null) return [];
    const intended = metrics.deliveryFromIntended?.[figure] ?? null;
    const lag = metrics.publishLag?.[figure] ?? metrics.publishLag?.max ?? 0;
    const waitedUs = whole - least;
    const ofDelivery = doubt('delivery', figure, whole, waitedUs);
    if (intended === null) return ofDelivery;
    const lateUs = Math.max(0, Math.min(lag, intended - whole));
    return [...ofDelivery, ...doubt('deliveryFromIntended', figure, intended, waitedUs + lateUs)];
  });
}

function doubt(metric: string, figure: keyof typeof beyondP99, us: number, rigUs: number): Doubt[] {
  const text = `${metric} ${beyondP99[figure]}: of ${ms(us / 1000)} up to ${ms(rigUs / 1000)} may be the rig’s`;
  return rigUs > allowedUs(us) ? [{ metric, figure, leastUs: us - rigUs, text }] : [];
}

/** The rules about loops, held against what each loop was in the ramp. */
function rampDoubts({ stampedBy, ...facts }: RunFacts): Doubt[] {
  const shards = facts.shards.map((shard) => ({
    ...shard,
    workers: shard.workers.flatMap(({ ramp, ...worker }) => (ramp ? [{ ...worker, ...ramp }] : [])),
  }));
  return Object.entries(stampedBy).flatMap(([metric, role]): Doubt[] => {
    if (role !== 'ramp' || !facts.metrics[metric]?.count) return [];
    const ramp: RunFacts = { ...facts, shards, stampedBy: { [metric]: 'audience' } };
    const said = loopRules.flatMap(({ rule, check }) => (ofRamp.has(rule) ? (check(ramp) ?? []) : []));
    if (said.length === 0) return [];
    return [{ metric, figure: null, leastUs: 0, text: `${metric}: in the ramp ${said.join('; ')}` }];
  });
}

/** What a promise makes of a doubt. */
export const doubtRules: readonly VerdictRule[] = [
  {
    rule: 'promise-undecided',
    level: 'limited',
    threshold: 'a promise that the rig’s part of a figure decides',
    reason:
      'between what is measured and what is left of it without the rig the promise is both kept and broken: neither can be said of the target',
    check: (facts) => {
      const doubts = doubtsOf(facts);
      const said = facts.promises.flatMap((promise) => {
        const decisive = doubts.find((each) => isUndecided(promise, each));
        return decisive ? [`${promise.text}, and ${decisive.text}`] : [];
      });
      return said.join('; ') || undefined;
    },
  },
];

function isUndecided(promise: PromiseFacts, { metric, figure, leastUs }: Doubt): boolean {
  if (promise.kind !== 'figure' || promise.metric !== metric || promise.value === null) return false;
  if (figure !== null && figure !== promise.figure) return false;
  return isKept(promise, promise.value) !== isKept(promise, leastUs);
}
