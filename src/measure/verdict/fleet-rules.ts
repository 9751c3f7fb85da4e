import { countText } from '../../units/text.js';
import { ms, type RunRule, type ShardFacts, wholePercent, worst } from './facts.js';

const readyShareAllowed = 0.99;
/** A schedule that reaches less than this share of its rate is another load. */
export const achievedShareAllowed = 0.98;
const usedShareAllowed = 0.9;
/** A rig that stands still for longer then sends all overdue broadcasts at once. */
const stillMs = 1000;

/** Lists the rules for whole shards whose load is lighter than the job demands. */
export const fleetRules: readonly RunRule[] = [
  {
    rule: 'uniform-ceiling',
    level: 'limited',
    threshold: `all shards stop at one count, below ${wholePercent(readyShareAllowed)} of what they were asked`,
    reason: 'a target does not stop several shards at one count; a limit of the load generator does',
    check: ({ shards }) => {
      const { ready: first = 0 } = shards[0] ?? {};
      // A target may refuse each shard at the same count. A shard without clients stopped at no ceiling.
      const isNone = shards.length < 2 || first === 0 || shards.every(({ refused }) => refused > 0);
      return !isNone && shards.every(({ ready, asked }) => ready === first && ready < asked * readyShareAllowed)
        ? `each of ${shards.length} shards stopped at exactly ${first} clients`
        : undefined;
    },
  },
  {
    rule: 'schedule-missed',
    level: 'limited',
    threshold: `the target got less than ${wholePercent(achievedShareAllowed)} of the offered rate while it was there`,
    reason: 'the target then felt a lighter load than the result names',
    check: ({ offeredPerSecond: offered, achievedPerSecond: achieved, unmetPerSecond: unmet }) => {
      if (offered === null || achieved === null || achieved + unmet >= offered * achievedShareAllowed) return undefined;
      const beside = unmet > 0 ? `, beside ${unmet.toFixed(2)}/s that found no target` : '';
      return `achieved ${achieved.toFixed(2)}/s of ${offered.toFixed(2)}/s offered${beside}`;
    },
  },
  {
    rule: 'loop-paused',
    level: 'limited',
    threshold: `a loop that makes the load is late by more than ${stillMs / 1000} s for 1 % of the time`,
    reason: 'what was due meanwhile left in a burst, so the target felt another load than the result names',
    check: ({ shards }) =>
      worst(
        shards.map(withSenders),
        ({ loopDelayP99Ms }) => (loopDelayP99Ms > stillMs ? loopDelayP99Ms : 0),
        (label, value) => `${label} stood still for ${ms(value)}`,
      ),
  },
  {
    rule: 'publishes-withheld',
    level: 'limited',
    threshold: 'the load generator has no port or descriptor left for one publish',
    reason: 'the target had less to do than the result names',
    check: ({ withheld }) =>
      withheld > 0
        ? `${countText(withheld)} publishes were not sent: the load generator had no port or descriptor left`
        : undefined,
  },
  {
    rule: 'descriptor-headroom',
    level: 'limited',
    threshold: `a shard uses more than ${wholePercent(usedShareAllowed)} of its file descriptors`,
    reason: 'the next connect or publish may fail in the load generator',
    check: ({ shards }) => {
      const short = shards.find(({ descriptorsUsed, descriptorLimit }) => isShort(descriptorsUsed, descriptorLimit));
      return short
        ? `${short.label} used ${short.descriptorsUsed} of ${short.descriptorLimit} file descriptors`
        : undefined;
    },
  },
  {
    rule: 'port-headroom',
    level: 'limited',
    threshold: `sockets in TIME_WAIT exceed ${wholePercent(usedShareAllowed)} of the ports of all source addresses`,
    reason: 'a port in TIME_WAIT is blocked for up to a minute, and a search for a free one slows or fails connections',
    check: ({ shards }) => {
      const short = shards.find(({ timeWait, sourcePorts }) => isShort(timeWait, sourcePorts));
      return short
        ? `${short.timeWait} sockets under ${short.label} were in TIME_WAIT, beside ${short.sourcePorts} source ports`
        : undefined;
    },
  },
];

/** Keeps only the loops whose schedule loads the target: the publisher or, without one, the clients. */
function withSenders(shard: ShardFacts): ShardFacts {
  const publishers = shard.workers.filter(({ holdsSubscribers }) => !holdsSubscribers);
  return publishers.length > 0 ? { ...shard, workers: publishers } : shard;
}

function isShort(used: number | null, limit: number | null): boolean {
  return used !== null && limit !== null && used > limit * usedShareAllowed;
}
