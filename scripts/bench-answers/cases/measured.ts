import type { Reason } from '../product.js';

/** Options of a metronome, as `ringside` takes them; its seed is set by the repeat. */
type Orders = Readonly<Record<string, string | number>>;

/** A comparison of metronomes: their record is the truth. */
export interface MetronomeCase {
  name: string;
  targets: Readonly<Record<string, Orders>>;
  /** The median of all rounds that the orders give, where that of so few rounds is a matter of chance. */
  usualMs?: Readonly<Record<string, number>>;
  /** Of `ringside compare latency`, and in place of them for a first look. */
  flags: readonly string[];
  quick: readonly string[];
  /** It must have ended by then; a budget that does not suffice is refused. */
  endsWithinMs?: number;
  told?: readonly (readonly [string, string])[];
  isToldPromised?: boolean;
  undecided?: readonly Reason[];
}

/** Cases by the name of their bench. */
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
      // What is promised is promised of the default size.
      flags: ['--subscribers', '200'],
      told: [
        ['twelve', 'ten'],
        ['twelve', 'ten-too'],
      ],
      isToldPromised: true,
    },
  ],
};

/** Compared in every size: uWebSockets.js, Socket.IO, and AnyCable where `ANYCABLE_GO_BIN` names it. */
export const servers = ['uws', 'socketio', ...(process.env.ANYCABLE_GO_BIN ? ['anycable'] : [])];

/** The subscribers of each comparison of servers. */
export const audiences = [2, 200, 2000, 10_000];

/** Five starts of twenty rounds with so many subscribers: twenty repeats take minutes. Fewer for a first look. */
function sized(subscribers: string): Pick<MetronomeCase, 'flags' | 'quick'> {
  const flags = ['--subscribers', subscribers];
  return { flags: [...flags, '--starts', '5', '--rounds', '20'], quick: [...flags, '--starts', '3', '--rounds', '12'] };
}

function tenAndTwelve(): MetronomeCase['targets'] {
  return { ten: { delay: 'constant:10ms' }, twelve: { delay: 'constant:12ms' } };
}
