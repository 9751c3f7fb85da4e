import { kindOfCause } from '../units/words.js';
import type { ExitName } from './exit-codes.js';

interface StopReasonSpec {
  title: string;
  means: string;
  /** Whether the run went to its planned end, so that its numbers stand for what was asked. */
  isComplete: boolean;
  /** Whether it is a wall of the target: an end for a run whose asked number is too large, and the very finding of one that looks for the wall. */
  isFinding?: boolean;
  exit: ExitName;
  /** Whether the run went to its end all the same and is no success: nothing cut it short, and what it measured stands. */
  isShort?: boolean;
  /**
   * What to look at first: whatever the cause; or by the commonest cause or its kind, where no client was connected or
   * no publish taken. `{protocol}` stands for the run's.
   */
  advice?: string | Readonly<Record<string, string>>;
}

const wrongScheme = 'is it ws:// there, or wss://?';
const wrongPath = 'is it the path at which the server takes WebSockets, and does the server speak {protocol}?';
const otherProtocol = 'does the server speak {protocol}?';
const wrongPublishUrl = 'is --publish-url the address at which the target takes publishes?';
const publishAdvice = {
  'http-status:404': wrongPublishUrl,
  'http-status:405': wrongPublishUrl,
  'connect-refused': wrongPublishUrl,
  network: wrongPublishUrl,
};

/** What can end a run. The one list; a result carries a code of it with the evidence. */
export const stopReasons = {
  completed: {
    title: 'target reached',
    means: 'everything that was asked for was done',
    isComplete: true,
    exit: 'clean',
  },
  limitReached: {
    title: 'limit reached',
    means: 'the limit that was set for the load was passed: no harder load was begun',
    isComplete: true,
    exit: 'clean',
  },
  clientsShort: {
    title: 'no more clients',
    means:
      'a harder load found too few clients that the target took, and was not begun; what was measured before stands',
    isComplete: true,
    exit: 'clean',
  },
  timeOver: {
    title: 'time over',
    means: 'the hard deadline of the job passed first',
    isComplete: false,
    exit: 'rig',
  },
  refused: {
    title: 'refused by target',
    means: 'the target turned clients away; the evidence says with which status or close code',
    isComplete: false,
    isFinding: true,
    exit: 'rig',
    advice: {
      'http-status:200': wrongPath,
      'http-status:400': wrongPath,
      'http-status:404': wrongPath,
      'end-of-stream': wrongScheme,
      reset: wrongScheme,
    },
  },
  targetUnreachable: {
    title: 'target unreachable',
    means: 'nothing answered as a WebSocket server at the address of the target; the evidence says how it failed',
    isComplete: false,
    exit: 'rig',
    advice: {
      'connect-refused': 'does a server listen at that host and port?',
      network: 'is that the name of the host, and does it resolve where the bench-runners are?',
      tls: 'is it wss:// there, or ws://? A certificate of its own takes --ca or --insecure',
      'bad-upgrade': 'is it a WebSocket server that answers there, and is it ws:// or wss://?',
    },
  },
  handshakeTimeouts: {
    title: 'handshake timeouts',
    means: 'clients got no open WebSocket, or no confirmation of their subscription, in time',
    isComplete: false,
    isFinding: true,
    exit: 'rig',
    advice: { 'subscribe-timeout': otherProtocol, 'heartbeat-timeout': otherProtocol },
  },
  targetGone: {
    title: 'target process gone',
    means: 'the target process ended, or every connection to it was cut',
    isComplete: false,
    exit: 'rig',
  },
  restartFailed: {
    title: 'restart failed',
    means:
      'the target or its application was to be restarted in the middle of the run, and did not start again or the command or webhook failed',
    isComplete: false,
    exit: 'rig',
  },
  noRestart: {
    title: 'no restart seen',
    means:
      'the target or its application was to be restarted in the middle of the run, and nothing shows that it was: nothing was recovered from',
    isComplete: false,
    exit: 'rig',
    advice: 'does the process that was there before still live, and serve at that address?',
  },
  restartOutlasted: {
    title: 'restart outlasted the load',
    means:
      'the target or its application was not restarted to the end when the last broadcast was due: what that cost is not all in the figures',
    isComplete: false,
    exit: 'rig',
  },
  publishRefused: {
    title: 'publishes refused',
    means:
      'the target took no broadcast at all and refused publishes with an answer; the first ten end the run where the target is not meant to be away',
    isComplete: false,
    exit: 'rig',
    advice: publishAdvice,
  },
  publishFailed: {
    title: 'publishes failed',
    means:
      'the target took no broadcast at all and answered no publish; the first ten end the run where the target is not meant to be away',
    isComplete: false,
    exit: 'rig',
    advice: publishAdvice,
  },
  publishesShort: {
    title: 'not every publish taken',
    means:
      'the target refused a part of the publishes or did not answer them, and no threshold on that count allows it; the figures are of the broadcasts that it took',
    isComplete: false,
    isShort: true,
    exit: 'threshold',
  },
  nothingDelivered: {
    title: 'nothing delivered',
    means: 'the run came to its end without one delivery or answer, and no threshold on that count expects it',
    isComplete: false,
    isShort: true,
    exit: 'rig',
  },
  connectionsLost: {
    title: 'connections lost',
    means: 'connections that had been opened were cut, or no longer carried a message at the end',
    isComplete: false,
    isFinding: true,
    exit: 'rig',
  },
  memoryWall: {
    title: 'target memory wall',
    means: 'the target’s memory reached its limit, or its machine had next to none left',
    isComplete: false,
    isFinding: true,
    exit: 'rig',
  },
  corePinned: {
    title: 'one target core pinned',
    means: 'one thread of the target took a whole core while the other cores were mostly idle',
    isComplete: false,
    isFinding: true,
    exit: 'rig',
  },
  acceptOverflow: {
    title: 'accept queue overflow',
    means: 'the kernel dropped connections because the target did not accept them fast enough',
    isComplete: false,
    isFinding: true,
    exit: 'rig',
  },
  targetDescriptors: {
    title: 'target file descriptors exhausted',
    means: 'a process of the target has no free file descriptor left',
    isComplete: false,
    isFinding: true,
    exit: 'rig',
  },
  uniformCeiling: {
    title: 'shards stopped at one count',
    means: 'every shard stopped at exactly the same count: a wall of the rig, never the server’s',
    isComplete: false,
    exit: 'rig',
  },
  rigSaturated: {
    title: 'rig saturated',
    means: 'the bench-runners had no capacity left: what stopped the run may be theirs',
    isComplete: false,
    exit: 'rig',
  },
  portsExhausted: {
    title: 'source ports exhausted',
    means: 'a bench-runner has no free source port left for this target',
    isComplete: false,
    exit: 'rig',
  },
  sourceAddressLost: {
    title: 'source address not usable',
    means: 'a bench-runner has no such address as --local-address names, or has it no longer',
    isComplete: false,
    exit: 'rig',
  },
  descriptorsExhausted: {
    title: 'file descriptors exhausted',
    means: 'a bench-runner has no free file descriptor left',
    isComplete: false,
    exit: 'rig',
  },
  interrupted: {
    title: 'interrupted',
    means: 'the user ended the run, or the driver fell silent and the lease ran out',
    isComplete: false,
    exit: 'interrupted',
  },
  endedByDriver: {
    title: 'ended by the driver',
    means: 'of a shard alone: the driver ended its part, for the reason that stands over the whole run',
    isComplete: false,
    exit: 'interrupted',
  },
  shardEnded: {
    title: 'shard ended',
    means: 'a bench-runner was asked to end, as by a rollout; what it had measured by then is in the result',
    isComplete: false,
    exit: 'shardLost',
  },
  shardLost: {
    title: 'shard lost',
    means: 'a bench-runner restarted, died or could not be reached for its lease; the result covers the others',
    isComplete: false,
    exit: 'shardLost',
  },
  rigFault: {
    title: 'rig fault',
    means: 'a worker of a bench-runner failed by a fault of Ringside',
    isComplete: false,
    exit: 'bug',
  },
} as const satisfies Record<string, StopReasonSpec>;

export type StopCode = keyof typeof stopReasons;

/** Every stop code, for schemas. */
export const stopCodes = Object.keys(stopReasons) as [StopCode, ...StopCode[]];

/** What ended a run or a shard's part of it; `evidence` are the observations that show it, in words with figures. */
export interface Stop {
  code: StopCode;
  evidence: string[];
  /** What to look at first, where that is known. */
  advice?: string | undefined;
}

/** Whether a run went to its end and fell short of its job. */
export function isShort(code: StopCode): boolean {
  const reason: StopReasonSpec = stopReasons[code];
  return reason.isShort === true;
}

/** A stop reason with its evidence. */
export function stopInWords({ code, evidence }: Stop): string {
  const { title } = stopReasons[code];
  return evidence.length > 0 ? `${title}: ${evidence.join('; ')}` : title;
}

/**
 * What to look at first after a stop whose commonest cause that was, where it has one; undefined where nothing is known
 * of it.
 */
export function adviceOn(code: StopCode, cause: string | undefined, protocol: string): string | undefined {
  const { advice }: StopReasonSpec = stopReasons[code];
  if (typeof advice === 'string') return advice;
  if (cause === undefined) return undefined;
  return (advice?.[cause] ?? advice?.[kindOfCause(cause)])?.replace('{protocol}', protocol);
}
