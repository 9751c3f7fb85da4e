import type { Model } from '../model.js';
import { type Reason, startsPlanned } from '../product.js';

/** Describes a comparison that is played many times. The control is a twin of the first target. */
export interface SimulatedCase {
  name: string;
  targets: Readonly<Record<string, Model>>;
  /** Rounds of each start. */
  rounds: number;
  /** Maximum number of starts, if a small budget allows fewer than usual. */
  starts?: number;
  told?: readonly (readonly [string, string])[];
  isToldPromised?: boolean;
  undecided?: readonly Reason[];
}

const ms = 1000;
/** Deviations of single servers on two shared cores. Faster servers deviate more. */
const at1ms = { startSd: 0.1, roundSd: 0.2 };
const at10ms = { startSd: 0.02, roundSd: 0.05 };
const at100ms = { startSd: 0.005, roundSd: 0.01 };

const fewRounds = 12;
const someRounds = 20;

/** Builds a case of two equal targets with two levels, and a steady one between the levels. */
function twoLevels(share: number): SimulatedCase {
  const mixed = { us: 10 * ms, ...at10ms, levels: { share, factor: 10 } };
  return {
    name: `two of 10 ms, and 100 ms in ${share * 100} % of the rounds; 20 ms`,
    targets: { mixed, 'mixed-too': mixed, steady: { us: 20 * ms, ...at10ms } },
    rounds: someRounds,
    undecided: ['levels'],
  };
}

/** Builds a case of a target that loses deliveries, one that is as fast, and one that is slower. */
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
