import type { Reason } from '../product.js';

/** Holds the options of a metronome, as `ringside` takes them. The repeat sets its seed. */
type Orders = Readonly<Record<string, string | number>>;

/** Describes a comparison of metronomes. Their record is the truth. */
export interface MetronomeCase {
  name: string;
  targets: Readonly<Record<string, Orders>>;
  /**
   * The median of all rounds that the options produce. It is given where the median of a few rounds depends on chance.
   */
  usualMs?: Readonly<Record<string, number>>;
  /** Holds the flags of `ringside compare latency`. Quick mode uses `quick` instead. */
  flags: readonly string[];
  quick: readonly string[];
  /** Time limit of the comparison. A budget that is too small is refused. */
  endsWithinMs?: number;
  told?: readonly (readonly [string, string])[];
  isToldPromised?: boolean;
  undecided?: readonly Reason[];
}

/** Maps the name of each bench to its cases. */
export const metronomeCases: Readonly<Record<string, readonly MetronomeCase[]>> = {
  levels: [0.3, 0.4, 0.45].map((share) => ({
    name: `10 ms, and 100 ms of ${share * 100} % of the broadcasts; 20 ms`,
    targets: {
      mixed: { delay: `bimodal:10ms,100ms,${share}`, delayPer: 'broadcast' },
      steady: { delay: 'constant:20ms' },
    },
    usualMs: { mixed: 10, steady: 20 },
    ...sized('7'),
    undecided: ['levels'],
  })),
  cold: [
    {
      name: '10 ms, and 400 ms more in the first 8 broadcasts; 20 ms',
      targets: { cold: { delay: 'constant:10ms', cold: '8,400ms' }, warm: { delay: 'constant:20ms' } },
      ...sized('7'),
      undecided: ['levels', 'trend'],
    },
  ],
  loss: [0.01, 0.45, 0.6].map((drop) => ({
    name: `10 ms and ${drop * 100} % lost; 12 ms`,
    targets: { lossy: { delay: 'constant:10ms', drop }, whole: { delay: 'constant:12ms' } },
    ...sized('20'),
    undecided: ['lost'],
  })),
  drift: [
    {
      name: '10 ms, and 1 ms more each second; 20 ms',
      targets: { drifting: { delay: 'constant:10ms', driftMs: 1 }, steady: { delay: 'constant:20ms' } },
      ...sized('7'),
      undecided: ['trend'],
    },
  ],
  mixed: [
    {
      name: '0.1 ms, 20 ms and 3 s',
      targets: {
        tenth: { delay: 'constant:0.1ms' },
        twenty: { delay: 'constant:20ms' },
        three: { delay: 'constant:3s' },
      },
      ...sized('7'),
    },
  ],
  budgets: [30, 60, 300].map((seconds) => ({
    name: `10 and 12 ms, budget of ${seconds} s`,
    targets: tenAndTwelve(),
    flags: ['--subscribers', '50', '--budget', `${seconds}s`],
    quick: ['--subscribers', '50', '--budget', `${seconds}s`, '--rounds', '12', '--starts', '3'],
    endsWithinMs: (seconds + 30) * 1000,
    told: [['twelve', 'ten']],
    undecided: ['refused'],
  })),
  shards: ['1', '2', '3'].map((shards) => {
    const { flags, quick } = sized('50');
    return {
      name: `10 and 12 ms, local shards: ${shards}`,
      targets: tenAndTwelve(),
      flags: [...flags, '--local-shards', shards],
      quick: [...quick, '--local-shards', shards],
      told: [['twelve', 'ten']],
    };
  }),
  told: [
    {
      name: 'two of 10 ms; 12 ms; 200 subscribers',
      targets: { ...tenAndTwelve(), 'ten-too': { delay: 'constant:10ms' } },
      ...sized('200'),
      // The bounds hold for the default size.
      flags: ['--subscribers', '200'],
      told: [
        ['twelve', 'ten'],
        ['twelve', 'ten-too'],
      ],
      isToldPromised: true,
    },
  ],
};

/**
 * Names the servers that are compared in every size: uWebSockets.js, Socket.IO, and AnyCable if `ANYCABLE_GO_BIN` is
 * set.
 */
export const servers = ['uws', 'socketio', ...(process.env.ANYCABLE_GO_BIN ? ['anycable'] : [])];

/** Holds the numbers of subscribers in the comparisons of servers. */
export const audiences = [2, 200, 2000, 10_000];

/**
 * Plans five starts of twenty rounds with this many subscribers. Twenty repeats take minutes. Quick mode plans fewer.
 */
function sized(subscribers: string): Pick<MetronomeCase, 'flags' | 'quick'> {
  const flags = ['--subscribers', subscribers];
  return { flags: [...flags, '--starts', '5', '--rounds', '20'], quick: [...flags, '--starts', '3', '--rounds', '12'] };
}

function tenAndTwelve(): MetronomeCase['targets'] {
  return { ten: { delay: 'constant:10ms' }, twelve: { delay: 'constant:12ms' } };
}
