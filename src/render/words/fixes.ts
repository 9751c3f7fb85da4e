import type { StopCode } from '../../contract/stop-reasons.js';
import type { RunResult } from '../../results/result.js';

const isBug = 'this is a bug of Ringside: please report it with the directory of the result';
const isBusy = 'give it less load, or a machine on which nothing else runs';

/** Says what to do about a stop whose cause gives no better advice. */
const stopFixes: Readonly<Partial<Record<StopCode, string>>> = {
  timeOver: isBusy,
  refused: 'raise the limit of the server, or ask for fewer clients',
  targetUnreachable: 'check the address of the target',
  handshakeTimeouts: 'ask for fewer clients, or give a lower --ramp-rate',
  targetGone: 'look into the log of the server; it ended during the run',
  restartFailed: 'run the restart command by hand and look into the log of the server',
  publishRefused: 'check --publish-url and --publish-token',
  publishFailed: 'check --publish-url',
  connectionsLost: 'look into the log of the server and of proxies before it for why they closed connections',
  memoryWall: 'give the server more memory, or ask for fewer clients',
  corePinned: 'give the server more processes, or less load',
  acceptOverflow: 'give a lower --ramp-rate, or the server a longer accept queue',
  targetDescriptors: 'raise the limit of open files of the server (ulimit -n)',
  uniformCeiling: 'run `ringside doctor` where the bench-runners are: they have a limit',
  rigSaturated: 'use more shards or machines, or less load',
  portsExhausted: 'give --local-address several addresses, or ask for fewer clients',
  descriptorsExhausted: 'raise the limit of open files of the bench-runner (ulimit -n)',
  shardLost: 'look into the log of that bench-runner, then run it again',
  rigFault: isBug,
};

const ruleFixes: Readonly<Record<string, string>> = {
  'work-missing': isBug,
  'ledger-broken': 'if nobody edited the result, this is a bug of Ringside: please report it with its directory',
  'delivery-over-100': isBug,
  'clock-fault': isBug,
  'nothing-connected': 'check the address and --protocol of the target',
  'nothing-published': 'check --publish-url and --publish-token',
  'nothing-delivered': 'check that the server sends each broadcast to the subscribers of its stream',
  'clock-id': 'keep each bench-runner in one container for the whole run',
  'silent-shard': 'check that this shard reaches the target, and that all shards reach the same one',
  'elapsed-overrun': isBusy,
};

/** Says what to do about a void run in a sentence. */
export function fixOf({ stop, verdict }: Pick<RunResult, 'stop' | 'verdict'>): string {
  const ofRules = verdict.evidence.flatMap(({ rule, level }) => (level === 'void' ? (ruleFixes[rule] ?? []) : []));
  return stopFixes[stop.code] ?? ofRules[0] ?? 'run it again; `ringside show` prints what was counted';
}
