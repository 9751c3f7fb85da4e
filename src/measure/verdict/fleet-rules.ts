import { count } from '../../units/words.js';
import { allowedUs, firstOf, rigPart, usInMs } from './brackets.js';
import { percent, wholePercent } from './evidence.js';
import type { ShardFacts, VerdictRule } from './facts.js';

const readyShareAllowed = 0.99;
const achievedShareAllowed = 0.98;
/** On up to twenty cores, less than one core is then idle. */
const coresBusyFrom = 0.95;
/** The kernel counts busy time in ticks of 10 ms, too few of them in a shorter window. */
const leastWindowMs = 1000;
const usedShareAllowed = 0.9;

/** What speaks against whole shards and the machines under them. */
export const fleetRules: readonly VerdictRule[] = [
  {
    rule: 'uniform-ceiling',
    level: 'limited',
    threshold: `all shards stop at one count, below ${wholePercent(readyShareAllowed)} of what they were asked`,
    reason: 'a target does not stop several shards at one count; a limit of the rig does',
    check: ({ shards }) => {
      const { ready: first = 0 } = shards[0] ?? {};
      // A target may refuse each shard at the same count; a shard without clients stopped at no ceiling.
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
    rule: 'publishes-withheld',
    level: 'limited',
    threshold: 'the rig has no port or descriptor left for one publish',
    reason: 'the target had less to do than the result names',
    check: ({ withheld }) =>
      withheld > 0 ? `${count(withheld)} publishes were not sent: the rig had no port or descriptor left` : undefined,
  },
  {
    rule: 'cores-busy',
    level: 'limited',
    threshold: `all cores of a machine are busy ${wholePercent(coresBusyFrom)} of at least ${leastWindowMs / 1000} s`,
    reason: 'without an idle core the rig waits for what else runs on the machine',
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
    threshold: `a shard uses more than ${wholePercent(usedShareAllowed)} of its file descriptors`,
    reason: 'the next connect or publish may fail in the rig',
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
  {
    rule: 'calibrated-error',
    level: 'limited',
    threshold: `the p99 of \`calibrate\` was ${rigPart} off at a load no harder`,
    reason: 'a rig that is wrong about a known truth at a lighter load is wrong at a harder one',
    check: ({ calibratedErrorUs, metrics, declared }) => {
      const errorUs = Math.abs(calibratedErrorUs ?? 0);
      return firstOf({ declared }, (metric, { isDelivery }) => {
        const p99 = metrics[metric]?.p99 ?? null;
        if (!isDelivery || p99 === null || errorUs <= allowedUs(p99)) return undefined;
        const error = `this machine’s rig was off by ${usInMs(errorUs)} at a lighter load`;
        return `${error}, beside a ${metric} p99 of ${usInMs(p99)}`;
      });
    },
  },
];

function isShort(used: number | null, limit: number | null): boolean {
  return used !== null && limit !== null && used > limit * usedShareAllowed;
}

/** Zero without readings. */
function meanBusy({ coreBusy }: ShardFacts): number {
  return coreBusy.length === 0 ? 0 : coreBusy.reduce((sum, each) => sum + each, 0) / coreBusy.length;
}

function coresIn(count: number, label: string): string {
  return count === 1 ? `the one core under ${label} was` : `the ${count} cores under ${label} were`;
}
