import { count } from '../../units/words.js';
import { ms, percent, wholePercent } from './evidence.js';
import type { ShardFacts, VerdictRule } from './facts.js';
import { allowedUs, rigFloorUs, rigShareAllowed } from './loop-rules.js';

const readyShareAllowed = 0.99;
const achievedShareAllowed = 0.98;
/** What 95 % leaves idle is less than one core on any machine of up to twenty. */
const coresBusyFrom = 0.95;
/** The kernel counts busy time in ticks of 10 ms: a shorter window has too few to tell 95 from 100 in. */
const leastWindowMs = 1000;
const usedShareAllowed = 0.9;

/** What speaks against shards as a whole and the machines under them. */
export const fleetRules: readonly VerdictRule[] = [
  {
    rule: 'uniform-ceiling',
    level: 'limited',
    threshold: `all of several shards stopped at one count, below ${wholePercent(readyShareAllowed)} of what was asked`,
    reason: 'targets do not stop several shards at one and the same count; limits of the rig do',
    check: ({ shards }) => {
      const { ready: first = 0 } = shards[0] ?? {};
      // A target that says no may do so at the same count to each; shards that have nobody stopped at no ceiling.
      const isNone = shards.length < 2 || first === 0 || shards.every(({ refused }) => refused > 0);
      return !isNone && shards.every(({ ready, asked }) => ready === first && ready < asked * readyShareAllowed)
        ? `each of ${shards.length} shards stopped at exactly ${first} clients`
        : undefined;
    },
  },
  {
    rule: 'schedule-missed',
    level: 'limited',
    threshold: `achieved below ${wholePercent(achievedShareAllowed)} of the offered rate, without what found no target to take it`,
    reason: 'below 98 % of the offered rate the target felt a lighter load than the result names',
    check: ({ offeredPerSecond, achievedPerSecond, unmetPerSecond }) =>
      offeredPerSecond !== null &&
      achievedPerSecond !== null &&
      achievedPerSecond + unmetPerSecond < offeredPerSecond * achievedShareAllowed
        ? `achieved ${achievedPerSecond.toFixed(2)}/s of ${offeredPerSecond.toFixed(2)}/s offered${unmetPerSecond > 0 ? `, beside ${unmetPerSecond.toFixed(2)}/s that found no target` : ''}`
        : undefined,
  },
  {
    rule: 'publishes-withheld',
    level: 'limited',
    threshold: 'a publish for which the rig had no port or descriptor left',
    reason:
      'what the rig could not send is no answer of the target, and what it could send met one that had less to do',
    check: ({ withheld }) =>
      withheld > 0 ? `${count(withheld)} publishes were not sent: the rig had no port or descriptor left` : undefined,
  },
  {
    rule: 'cores-busy',
    level: 'limited',
    threshold: `all cores of a shard's machine together busy ${wholePercent(coresBusyFrom)} of a window of ${leastWindowMs / 1000} s or more`,
    reason:
      'a machine without an idle core has no slack, neither for the rig nor for a target beside it: what one takes, the other waits for',
    check: ({ shards }) => {
      const [busiest] = shards
        .filter(({ workers }) => workers.some(({ windowMs }) => windowMs >= leastWindowMs))
        .map((shard) => ({ shard, busy: meanBusy(shard) }))
        .filter(({ busy }) => busy >= coresBusyFrom)
        .sort((a, b) => b.busy - a.busy);
      return busiest
        ? `${coresIn(busiest.shard.coreBusy.length, busiest.shard.label)} busy ${percent(busiest.busy)} of the time`
        : undefined;
    },
  },
  {
    rule: 'descriptor-headroom',
    level: 'limited',
    threshold: `above ${wholePercent(usedShareAllowed)} of a shard's file descriptors in use`,
    reason: 'above nine tenths of the descriptors the next accept or publish may fail in the rig',
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
    threshold: `as many sockets in TIME_WAIT as ${wholePercent(usedShareAllowed)} of the ports of all source addresses`,
    reason:
      'a port in TIME_WAIT cannot be taken for up to a minute: where few are left, the search for one makes connections slow, and then fails them, in the rig',
    check: ({ shards }) => {
      const short = shards.find(({ timeWait, sourcePorts }) => isShort(timeWait, sourcePorts));
      return short
        ? `${short.timeWait} sockets under ${short.label} were in TIME_WAIT, beside ${short.sourcePorts} source ports`
        : undefined;
    },
  },
  {
    rule: 'calibrated-error',
    level: 'limited',
    threshold: `an error of ${wholePercent(rigShareAllowed)} of the p99, and of ${rigFloorUs / 1000} ms, at a load that \`calibrate\` tried and that was no harder`,
    reason: 'a rig that was wrong about known truth at a lighter load is wrong about an unknown one at a harder',
    check: ({ calibratedErrorUs, metrics }) => {
      const p99 = metrics.delivery?.p99 ?? null;
      if (calibratedErrorUs === null || p99 === null || Math.abs(calibratedErrorUs) <= allowedUs(p99)) return undefined;
      return `this machine’s rig was off by ${ms(Math.abs(calibratedErrorUs) / 1000)} at a lighter load, beside a delivery p99 of ${ms(p99 / 1000)}`;
    },
  },
];

function isShort(used: number | null, limit: number | null): boolean {
  return used !== null && limit !== null && used > limit * usedShareAllowed;
}

/** Zero where nothing is known of the cores. */
function meanBusy({ coreBusy }: ShardFacts): number {
  return coreBusy.length === 0 ? 0 : coreBusy.reduce((sum, each) => sum + each, 0) / coreBusy.length;
}

function coresIn(count: number, label: string): string {
  return count === 1 ? `the one core under ${label} was` : `the ${count} cores under ${label} were`;
}
