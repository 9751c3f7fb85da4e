import type { Model } from './model.js';
import { type Reason, startsPlanned } from './product.js';

/** Describes a comparison with a known answer. */
export interface KnownCase {
  name: string;
  /** Pairs that the answer must distinguish. */
  told?: readonly (readonly [string, string])[];
  /** True if the distinction of these pairs has a bound. */
  isToldPromised?: boolean;
  /** Allowed reasons for open pairs, besides chance and a control that differs. */
  undecided?: readonly Reason[];
}

/** Describes a comparison that is played many times. The control is a twin of the first target. */
export interface SimulatedCase extends KnownCase {
  targets: Readonly<Record<string, Model>>;
  /** Rounds of each start. */
  rounds: number;
  /** Maximum number of starts, if a small budget allows fewer than usual. */
  starts?: number;
}

const ms = 1000;
/** Deviations of single servers on two shared cores. Faster servers deviate more. */
const at1ms = { startSd: 0.1, roundSd: 0.2 };
const at10ms = { startSd: 0.02, roundSd: 0.05 };
const at100ms = { startSd: 0.005, roundSd: 0.01 };

const fewRounds = 12;
const someRounds = 20;

function twoLevels(share: number): SimulatedCase {
  const mixed = { us: 10 * ms, ...at10ms, levels: { share, factor: 10 } };
  return {
    name: `two of 10 ms, and 100 ms in ${share * 100} % of the rounds; 20 ms`,
    targets: { mixed, 'mixed-too': mixed, steady: { us: 20 * ms, ...at10ms } },
    rounds: someRounds,
    undecided: ['levels'],
  };
}

function lossy(share: number): SimulatedCase {
  const whole = { us: 10 * ms, ...at10ms };
  return {
    name: `10 ms and ${share * 100} % lost; 10 ms; 12 ms`,
    targets: { whole, lossy: { ...whole, loss: { share, subscribers: 20 } }, slow: { us: 12 * ms, ...at10ms } },
    rounds: someRounds,
    undecided: ['lost'],
  };
}

const noisy = { us: 1 * ms, ...at1ms };
const cold = { us: 10 * ms, ...at10ms, cold: { rounds: 3, moreUs: 400 * ms } };
const drifting = { us: 10 * ms, ...at10ms, drift: 2 };
const tenth = { us: 0.1 * ms, ...at1ms };
const usual = { startSd: 0.03, roundSd: 0.1 };
const ten = { us: 10 * ms, ...usual };
/** Large audiences on a busy machine: no levels, but rounds from half the time to twice. */
const wide = { us: 100 * ms, startSd: 0.05, roundSd: 0.5 };

/** Holds the simulated cases with their expected answers. */
export const simulatedCases: readonly SimulatedCase[] = [
  {
    name: 'two equal noisy targets of 1 ms; four quiet ones of 10 to 80 ms',
    targets: {
      noisy,
      'noisy-too': noisy,
      ...Object.fromEntries([10, 20, 40, 80].map((each) => [`quiet-${each}`, { us: each * ms, ...at100ms }])),
    },
    rounds: fewRounds,
  },
  {
    name: 'six equal noisy targets of 1 ms',
    targets: Object.fromEntries(Array.from({ length: 6 }, (_, place) => [`noisy-${place}`, noisy])),
    rounds: fewRounds,
  },
  ...[0.3, 0.4, 0.45].map(twoLevels),
  {
    name: 'two of 10 ms, and 400 ms more in the first 3 of 12 rounds; 20 ms',
    targets: { cold, 'cold-too': cold, warm: { us: 20 * ms, ...at10ms } },
    rounds: fewRounds,
    undecided: ['levels', 'trend'],
  },
  ...[0.01, 0.45, 0.6].map(lossy),
  {
    name: 'two from 10 to 20 ms over each start; 14 ms',
    targets: { drifting, 'drifting-too': drifting, steady: { us: 14 * ms, ...at10ms } },
    rounds: someRounds,
    undecided: ['trend'],
  },
  {
    name: 'two of 0.1 ms; 20 ms, 24 ms and 3 s',
    targets: {
      tenth,
      'tenth-too': tenth,
      twenty: { us: 20 * ms, ...at10ms },
      'twenty-four': { us: 24 * ms, ...at10ms },
      three: { us: 3000 * ms, startSd: 0.001, roundSd: 0.002 },
    },
    rounds: fewRounds,
    told: [['twenty-four', 'twenty']],
  },
  {
    name: 'two of 100 ms; 102 ms; rounds from half the time to twice; starts: 5',
    targets: { wide, 'wide-too': wide, more: { ...wide, us: 102 * ms } },
    ...{ rounds: someRounds, starts: 5 },
  },
  ...[startsPlanned, 5, 3].map(
    (starts): SimulatedCase => ({
      name: `two of 10 ms; 12 ms; starts: ${starts}`,
      targets: { ten, 'ten-too': ten, twelve: { us: 12 * ms, ...usual } },
      ...{ rounds: someRounds, starts },
      told: [['twelve', 'ten']],
      isToldPromised: starts === startsPlanned,
    }),
  ),
];

/** Holds the options of a metronome, as `ringside` takes them. The repeat sets its seed. */
type Orders = Readonly<Record<string, string | number>>;

/** Describes a comparison of metronomes. Their record is the truth. */
export interface MetronomeCase extends KnownCase {
  targets: Readonly<Record<string, Orders>>;
  /** The median of all rounds that the options produce, where that of a few rounds depends on chance. */
  usualMs?: Readonly<Record<string, number>>;
  /** Holds the flags of `ringside compare latency`. Quick mode uses `quick` instead. */
  flags: readonly string[];
  quick: readonly string[];
  /** Time limit of the comparison. A budget that is too small is refused. */
  endsWithinMs?: number;
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
    flags: ['--clients', '50', '--budget', `${seconds}s`],
    quick: ['--clients', '50', '--budget', `${seconds}s`, '--rounds', '12', '--starts', '3'],
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
  audiences: ['2', '2,000', '10,000'].map((subscribers) => ({
    name: `10 and 12 ms, subscribers: ${subscribers}`,
    targets: tenAndTwelve(),
    ...sized(subscribers.replace(',', '')),
  })),
  told: [
    {
      name: 'two of 10 ms; 12 ms; 200 subscribers',
      targets: { ...tenAndTwelve(), 'ten-too': { delay: 'constant:10ms' } },
      ...sized('200'),
      // The bounds hold for the default size.
      flags: ['--clients', '200'],
      told: [
        ['twelve', 'ten'],
        ['twelve', 'ten-too'],
      ],
      isToldPromised: true,
    },
  ],
};

/** Names the servers that are compared in every size: uws, Socket.IO, and AnyCable if `ANYCABLE_GO_BIN` is set. */
export const servers = ['uws', 'socketio', ...(process.env.ANYCABLE_GO_BIN ? ['anycable'] : [])];

/** Holds the numbers of subscribers in the comparisons of servers. */
export const audiences = [2, 200, 2000, 10_000];

/** Plans five starts of twenty rounds with this many subscribers, and fewer in quick mode. */
function sized(subscribers: string): Pick<MetronomeCase, 'flags' | 'quick'> {
  const flags = ['--clients', subscribers];
  return { flags: [...flags, '--starts', '5', '--rounds', '20'], quick: [...flags, '--starts', '3', '--rounds', '12'] };
}

function tenAndTwelve(): MetronomeCase['targets'] {
  return { ten: { delay: 'constant:10ms' }, twelve: { delay: 'constant:12ms' } };
}
