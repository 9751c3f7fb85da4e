import { kindOfCause } from '../units/text.js';
import type { ExitName } from './exit-codes.js';

interface StopReasonSpec {
  title: string;
  means: string;
  /** Set if the run reached its planned end, so that its numbers answer the question. */
  isComplete: boolean;
  /** Set if it is a limit of the target. For a run that looks for the limit, it is the finding. */
  isFinding?: boolean;
  exit: ExitName;
  /** Set if the run reached its planned end and still failed. Its measurements are valid. */
  isShort?: boolean;
  /** Set if the run was ended before its planned end. Its measurements are valid. */
  isPart?: boolean;
  /** Says what to check first: one text, or texts by commonest cause or its kind. */
  advice?: string | Readonly<Record<string, string>>;
}

const wrongScheme = 'is it ws:// there, or wss://?';
const wrongPath = 'is it the path at which the server takes WebSockets, and does the server speak {protocol}?';
const noHttp2 = 'does the server take WebSockets over HTTP/2 (RFC 8441)? Otherwise leave --http2 out';
const otherProtocol = 'does the server speak {protocol}?';
const wrongPublishUrl = 'is --publish-url the address at which the target takes publishes?';
const publishAdvice = {
  'http-status:404': wrongPublishUrl,
  'http-status:405': wrongPublishUrl,
  'connect-refused': wrongPublishUrl,
  network: wrongPublishUrl,
};
const complete = { isComplete: true, exit: 'clean' } as const;
const wall = { isFinding: true } as const;

/** Lists the reasons that can end a run. Most reasons cut it short and have the exit code of the rig. */
const reasons = {
  completed: { ...complete, title: 'target reached', means: 'the run did everything that was asked' },
  limitReached: { ...complete, title: 'limit reached', means: 'a step broke the limit, so no harder one began' },
  knownEnough: {
    ...complete,
    title: 'known well enough',
    means: 'the figure of --until had a narrow interval before the planned end; what was under way was awaited',
  },
  clientsShort: {
    ...complete,
    title: 'no more clients',
    means: 'the target accepted too few clients for the next step; earlier steps are valid',
  },
  timeOver: { title: 'time over', means: 'the hard deadline of the job passed first' },
  refused: {
    ...wall,
    title: 'refused by target',
    means: 'the target turned clients away; the evidence names the status or close code',
    advice: {
      'http-status:200': wrongPath,
      'http-status:400': wrongPath,
      'http-status:404': wrongPath,
      'end-of-stream': wrongScheme,
      reset: wrongScheme,
      'network:ERR_HTTP2_ERROR': noHttp2,
      'network:ERR_HTTP2_NO_EXTENDED_CONNECT': noHttp2,
    },
  },
  targetUnreachable: {
    title: 'target unreachable',
    means: 'no WebSocket server answers at the address of the target; the evidence says how it failed',
    advice: {
      'connect-refused': 'does a server listen at that host and port?',
      network: 'is that the name of the host, and does it resolve where the bench-runners are?',
      tls: 'is it wss:// there, or ws://? A certificate of its own takes --ca or --insecure',
      'bad-upgrade': 'is it a WebSocket server that answers there, and is it ws:// or wss://?',
    },
  },
  handshakeTimeouts: {
    ...wall,
    title: 'handshake timeouts',
    means: 'clients got no open WebSocket, or no confirmed subscription, in time',
    advice: { 'subscribe-timeout': otherProtocol, 'heartbeat-timeout': otherProtocol },
  },
  targetGone: { title: 'target process gone', means: 'the target process ended, or every connection to it was cut' },
  flowStopped: {
    title: 'stopped by the flow',
    means: 'a client of a flow failed, and the flow says `onError: stop`, or its code held a worker for 5 s',
  },
  restartFailed: {
    title: 'restart failed',
    means: 'the target or its application did not start again, or the restart command or webhook failed',
  },
  noRestart: {
    title: 'no restart seen',
    means: 'nothing shows that the target or its application restarted, so there was nothing to recover from',
    advice: 'does the process that was there before still live, and serve at that address?',
  },
  restartOutlasted: {
    title: 'restart outlasted the load',
    means: 'the restart was not over when the last broadcast was due, so the figures miss a part of its cost',
  },
  publishRefused: {
    title: 'publishes refused',
    means: 'the target acked no broadcast and refused publishes with an answer; the first ten end the run',
    advice: publishAdvice,
  },
  publishFailed: {
    title: 'publishes failed',
    means: 'the target acked no broadcast and answered no publish; the first ten end the run',
    advice: publishAdvice,
  },
  publishesShort: {
    title: 'not every publish taken',
    means: 'the target refused or did not answer some publishes, and no threshold on that count allows it',
    isShort: true,
    exit: 'threshold',
  },
  nothingDelivered: {
    title: 'nothing delivered',
    means: 'the run ended without one delivery or answer, and no threshold on that count expects it',
    isShort: true,
  },
  connectionsLost: {
    ...wall,
    title: 'connections lost',
    means: 'open connections were cut, or no longer carried a message at the end',
  },
  memoryWall: {
    ...wall,
    title: 'target memory wall',
    means: 'the target reached its memory limit, or its machine had almost none left',
  },
  corePinned: {
    ...wall,
    title: 'one target core pinned',
    means: 'one thread of the target took a whole core while the other cores were mostly idle',
  },
  acceptOverflow: {
    ...wall,
    title: 'accept queue overflow',
    means: 'the kernel dropped connections because the target did not accept them fast enough',
  },
  targetDescriptors: {
    ...wall,
    title: 'target file descriptors exhausted',
    means: 'a process of the target has no free file descriptor left',
  },
  uniformCeiling: {
    title: 'shards stopped at one count',
    means: 'every shard stopped at exactly the same count: a wall of the load generator, not of the server',
  },
  rigSaturated: {
    title: 'load generator saturated',
    means: 'the bench-runners had no capacity left and may have stopped the run themselves',
  },
  portsExhausted: {
    title: 'source ports exhausted',
    means: 'a bench-runner has no free source port left for this target',
  },
  sourceAddressLost: {
    title: 'source address not usable',
    means: 'a bench-runner does not have an address that --local-address names',
  },
  descriptorsExhausted: {
    title: 'file descriptors exhausted',
    means: 'a bench-runner has no free file descriptor left',
  },
  interrupted: {
    title: 'interrupted',
    means: 'the user ended the run before its figures could hold, or the lease of a silent driver ran out',
    exit: 'interrupted',
  },
  endedByUser: {
    title: 'ended by you',
    means: 'the user ended the run: its figures hold for what it had measured, and what was under way was awaited',
    isPart: true,
    exit: 'interrupted',
  },
  endedByDriver: {
    title: 'ended by the driver',
    means: 'for one shard: the driver ended its part, for the reason of the whole run',
    exit: 'interrupted',
  },
  shardEnded: {
    title: 'shard ended',
    means: 'a bench-runner was asked to end, as by a rollout; the result has what it measured until then',
    exit: 'shardLost',
  },
  shardLost: {
    title: 'shard lost',
    means: 'a bench-runner restarted, died or could not be reached for its lease; the result covers the others',
    exit: 'shardLost',
  },
  samplesDamaged: {
    title: 'samples damaged',
    means: 'what a bench-runner measured arrived damaged each time it was fetched; the result covers the others',
    exit: 'shardLost',
  },
  flowFailed: {
    title: 'flow not loaded',
    means: 'a bench-runner could not load a file of the user that the driver could; the evidence names its line',
    exit: 'input',
  },
  rigFault: { title: 'load generator fault', means: 'a worker failed by a bug of Ringside', exit: 'bug' },
} as const satisfies Record<string, Partial<StopReasonSpec>>;

export type StopCode = keyof typeof reasons;

/** Lists every reason that can end a run. A result has its code, with the evidence. */
export const stopReasons = Object.fromEntries(
  Object.entries(reasons).map(([code, reason]) => [code, { isComplete: false, exit: 'rig', ...reason }]),
) as Record<StopCode, StopReasonSpec>;

export const stopCodes = Object.keys(stopReasons) as [StopCode, ...StopCode[]];

/** Describes the end of a run or of a shard's part of it, with the observations that show it. */
export interface Stop {
  code: StopCode;
  evidence: string[];
  afterMs?: number | undefined;
  advice?: string | undefined;
}

/** Returns true if a run reached its end but did less than its job. */
export function isShort(code: StopCode): boolean {
  return stopReasons[code].isShort === true;
}

/** Returns true if its user ended the run and its measurements are valid. */
export function isPart(code: StopCode): boolean {
  return stopReasons[code].isPart === true;
}

/** Returns true if a run's measurements are valid although it did not do all of its job. */
export function standsShort(code: StopCode): boolean {
  return isShort(code) || isPart(code);
}

export function stopInWords({ code, evidence, afterMs }: Stop): string {
  const after = afterMs === undefined ? '' : ` after ${Math.round(afterMs / 1000)} s`;
  const title = stopReasons[code].title + after;
  return evidence.length > 0 ? `${title}: ${evidence.join('; ')}` : title;
}

/** Returns the advice on a stop with that commonest cause. Undefined without advice. */
export function adviceOn(code: StopCode, cause: string | undefined, protocol: string): string | undefined {
  const { advice } = stopReasons[code];
  if (typeof advice === 'string') return advice;
  if (cause === undefined) return undefined;
  return (advice?.[cause] ?? advice?.[kindOfCause(cause)])?.replace('{protocol}', protocol);
}
