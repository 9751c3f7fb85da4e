import { z } from 'zod';
import { answers, openReasons } from '../measure/statement.js';
import { interval } from './result.js';

const perRound = z.array(z.number().min(0).nullable());

/** Describes one target in one start, by round. Null for a round without a figure. Times are in microseconds. */
export const pairedRounds = z.strictObject({
  /** Median over all subscribers of the broadcast, and that median without what the rig may add. */
  p50Us: perRound,
  p50AtLeastUs: perRound,
  /** Arrival at the last subscriber. Null if one never received it. */
  lastUs: perRound,
  /** Core time that the hypervisor took in the slot. Empty if unknown. */
  stolenUs: z.array(z.number().min(0)),
  /** Rounds left out because the hypervisor took much more than usual. */
  excluded: z.array(z.number().int().min(0)),
  /** Rounds that are void for all targets: this broadcast was still under way when the next slot began. */
  overlapping: z.array(z.number().int().min(0)),
});

export type PairedRounds = z.output<typeof pairedRounds>;

/** Compares two targets: the ratio of the times of `a` and `b`. */
export const pairedRatio = z.strictObject({
  a: z.string(),
  b: z.string(),
  /** Null if a median did not arrive. The intervals are then null, too. */
  ratio: z.number().nullable(),
  /** 95 % interval over starts, for fresh processes of both targets. */
  interval: interval.nullable(),
  /** Interval at the level that holds for all pairs and interim tests together. `holds` comes from it. */
  joint: interval.nullable(),
  /** Number of statements that share the error of the joint interval. */
  family: z.number().int().min(1),
  /** 95 % interval for these processes alone. Null with too few rounds. */
  theseProcesses: interval.nullable(),
  /** Ratio of the medians over all rounds. Null if one did not arrive. */
  ofMedians: z.number().nullable(),
  /** Factor by which the ratio changes from the first round of a start to the last. Null if it does not. */
  change: z.number().nullable(),
  missing: z.enum(['a', 'b', 'both']).nullable(),
  holds: z.enum(answers),
  because: z.enum(openReasons).nullable(),
});

/** Describes the pair with all rounds. */
export const rawRatio = pairedRatio.pick({ a: true, b: true, ratio: true, interval: true });

export type KeptPairedRatio = z.output<typeof pairedRatio>;

/** Names the reasons why a paired comparison ended. */
export const pairedEnds = ['decided', 'starts', 'budget', 'interrupted', 'tooFew'] as const;

/** Describes one target over all starts. */
export const pairedTarget = z.strictObject({
  target: z.string(),
  /** Target of which this is a second process, as a control. */
  twinOf: z.string().nullable(),
  p50Us: z.number().nullable(),
  p50AtLeastUs: z.number().nullable(),
  /** Highest percentile that the number of broadcasts carries. */
  tail: z.strictObject({ figure: z.enum(['p90', 'p95', 'p99']), us: z.number() }).nullable(),
  /** Share of the expected deliveries. Null if none were expected. */
  deliveredShare: z.number().min(0).nullable(),
  excludedShare: z.number().min(0),
  /** Share of the CPU that the hypervisor took from the machine in its runs. Left out if unknown. */
  stolenShare: z.number().min(0).max(1).optional(),
  /** CPU of its processes per second of the rounds. Null if unknown. */
  cpuCores: z.number().min(0).nullable(),
});

export type PairedTarget = z.output<typeof pairedTarget>;

/** Names the reasons to claim no order: too few starts, or a control that differs from its twin. */
const withheldReasons = ['tooFewStarts', 'controlApart'] as const;

export type WithheldReason = (typeof withheldReasons)[number];

const withheldReason = z.enum(withheldReasons);

/** Describes a paired comparison: rounds of all targets, one slot each, over several starts of all processes. */
export const paired = z.strictObject({
  seed: z.number().int(),
  /** Share within which two targets count as equal: 0.05 for 5 %. */
  equalWithin: z.number().positive(),
  startsPlanned: z.number().int(),
  rounds: z.number().int(),
  /** Length of the slots in the last start, by target in the order of `targets`. */
  slotsMs: z.array(z.number()),
  tookMs: z.number(),
  ended: z.enum(pairedEnds),
  targets: z.array(pairedTarget),
  /** Starts that do not count: one of their runs is void, or their slots were too short. */
  voidStarts: z.number().int().min(0),
  starts: z.array(z.array(pairedRounds)),
  /** Ratios of the median, and of the last subscriber of each broadcast. */
  pairs: z.array(pairedRatio),
  lastPairs: z.array(pairedRatio),
  /** `pairs` with no round left out. */
  rawPairs: z.array(rawRatio),
  /** Probability that chance leaves out rounds as unevenly as this. Null if none are left out. */
  excludedEvenlyP: z.number().min(0).max(1).nullable(),
  control: pairedRatio.nullable(),
  /** Targets that change within a start and so move a ratio, with the factor from first to last round. */
  trends: z.array(z.strictObject({ target: z.string(), change: z.number() })),
  /** Ratio of a target's time among idle neighbours to its time alone. Null if that was not measured. */
  crowd: z.array(z.strictObject({ target: z.string(), ratio: z.number(), interval })).nullable(),
  /** External targets that are not restarted. Their starts are fresh connections to the same processes. */
  sameProcesses: z.array(z.string()).optional(),
  /** Reasons why no order is claimed. Empty if one is. */
  withheld: z.array(withheldReason),
});

export type Paired = z.output<typeof paired>;
