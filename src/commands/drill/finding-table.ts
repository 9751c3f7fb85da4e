import type { ExitName } from '../../contract/exit-codes.js';
import type { ProblemCode } from '../../contract/problems.js';

/**
 * Lists everything that a drill can find wrong, the gravest first, with the exit and the fix. `clean` means the fleet
 * is still ready.
 */
export const findingTable = {
  absent: { exit: 'input', fix: 'Check the address, that the bench-runner runs there, and its token.' },
  lost: {
    exit: 'shardLost',
    fix: 'Look into its log, and whether its platform ended it or another run took it; then drill again.',
  },
  versionsDiffer: { exit: 'rig', fix: 'Run the same version of ringside-bench on the driver and on every shard.' },
  deliveriesLost: { exit: 'rig', fix: 'Free its CPU and memory, and drill again: no run on it can count losses.' },
  targetMissed: { exit: 'rig', fix: 'Check the address, the protocol and the firewall between the shards and it.' },
  lossyPath: { exit: 'clean', fix: 'Put the shards into the network of the target, or replace the lossy link.' },
  slowShard: { exit: 'clean', fix: 'Leave it out, or give it the CPU that the others have.' },
  throttled: { exit: 'clean', fix: 'Raise the CPU limit of its container, or remove it.' },
  othersBusy: { exit: 'clean', fix: 'Move other programs off its machine, or give it more cores.' },
  stolen: { exit: 'clean', fix: 'Choose machines with dedicated cores: a run marks what stolen time touches.' },
  coreWait: { exit: 'clean', fix: 'Move other programs off its machine, or give it more cores.' },
  clockSteps: {
    exit: 'clean',
    fix: 'Let the time daemon slew the clock: a step marks the deliveries that it touches.',
  },
  clockOff: { exit: 'clean', fix: 'Start a time daemon (chrony). Latencies are right; times in its logs are not.' },
  clockDrifts: { exit: 'clean', fix: 'Choose another clock source for one of the machines: times differ by as much.' },
  enginesDiffer: { exit: 'clean', fix: 'Install the native engine where it is missing, or give --engine js to all.' },
  farAway: { exit: 'clean', fix: 'Run the driver nearer to the shards: a shard that seems silent ends a run.' },
  narrowLink: { exit: 'clean', fix: 'Run the driver nearer to the shards, or fetch fewer samples (--samples-cap).' },
  lossyLink: { exit: 'clean', fix: 'Run the driver nearer to the shards, or on a better link.' },
  loopUnmeasured: { exit: 'clean', fix: 'Start the bench-runner with --allow-target loopback as well.' },
} as const satisfies Record<string, { exit: ExitName; fix: string }>;

export type FindingCode = keyof typeof findingTable;

/** Names the limit of a load by the problem of preflight that reports it. */
export const clientLimits: Partial<Record<ProblemCode, (typeof limitNames)[number]>> = {
  descriptorLimit: 'file descriptors',
  portLimit: 'source ports',
  trackingLimit: 'connection tracking',
  memoryLimit: 'memory',
};

/** Each name fits behind "limited by". */
export const limitNames = [
  'file descriptors',
  'source ports',
  'connection tracking',
  'memory',
  'the limits of a bench-runner',
  'event loops',
  'cores',
] as const;

export const findingCodes = Object.keys(findingTable) as [FindingCode, ...FindingCode[]];
