import { z } from 'zod';
import { answers, openReasons } from '../measure/statement.js';
import { interval } from './result.js';

const perRound = z.array(z.number().min(0).nullable());

/** One target in one start, by round; null for a round without a figure. Times are in microseconds. */
export const pairedRounds = z.strictObject({
  /** The median of all subscribers that the broadcast is owed to, and that median without what the rig may add. */
  p50Us: perRound,
  p50AtLeastUs: perRound,
  /** When the last subscriber got it; null where somebody never did. */
  lastUs: perRound,
  /** Core time that the hypervisor took in the slot; empty where unknown. */
  stolenUs: z.array(z.number().min(0)),
  /** Rounds that are left out, because the hypervisor took much more than usual. */
  excluded: z.array(z.number().int().min(0)),
  /** Rounds that are void for all targets: this broadcast was still under way when the next slot began. */
  overlapping: z.array(z.number().int().min(0)),
});

export type PairedRounds = z.output<typeof pairedRounds>;

/** Two targets: how many times as long `a` takes as `b`. */
export const pairedRatio = z.strictObject({
  a: z.string(),
  b: z.string(),
  /** Null where a median did not arrive, as are the intervals. */
  ratio: z.number().nullable(),
  /** 95 % over starts: what fresh processes of both would show. */
  interval: interval.nullable(),
  /** At the level that holds for all pairs and looks at once; `holds` comes from it. */
  joint: interval.nullable(),
  /** How many statements share the error of the joint interval. */
  family: z.number().int().min(1),
  /** 95 % for these processes alone; null with too few rounds. */
  theseProcesses: interval.nullable(),
  /** The ratio of the medians over all rounds; null where one did not arrive. */
  ofMedians: z.number().nullable(),
  /** By how many times the ratio changes from the first round of a start to the last; null where it does not. */
  change: z.number().nullable(),
  /** Whose median did not arrive. */
  missing: z.enum(['a', 'b', 'both']).nullable(),
  /** Whether they differ: `no` if they are equal within the margin. */
  holds: z.enum(answers),
  because: z.enum(openReasons).nullable(),
});

/** The same pair with no round left out. */
export const rawRatio = pairedRatio.pick({ a: true, b: true, ratio: true, interval: true });

export type KeptPairedRatio = z.output<typeof pairedRatio>;

/** Why a paired comparison ended. */
export const pairedEnds = ['decided', 'starts', 'budget', 'interrupted', 'tooFew'] as const;

/** One target over all starts. */
export const pairedTarget = z.strictObject({
  target: z.string(),
  /** The target of which this is a second process, as a control. */
  twinOf: z.string().nullable(),
  p50Us: z.number().nullable(),
  p50AtLeastUs: z.number().nullable(),
  /** The highest percentile that the number of broadcasts carries. */
  tail: z.strictObject({ figure: z.enum(['p90', 'p95', 'p99']), us: z.number() }).nullable(),
  /** Of the deliveries that were owed; null without any. */
  deliveredShare: z.number().min(0).nullable(),
  excludedShare: z.number().min(0),
  /** Share of the CPU that the hypervisor took from the machine in its runs; left out where unknown. */
  stolenShare: z.number().min(0).max(1).optional(),
  /** CPU of its processes per second of the rounds; null where unknown. */
  cpuCores: z.number().min(0).nullable(),
});

export type PairedTarget = z.output<typeof pairedTarget>;

/** Why a paired comparison claims no order: it has too few starts, or its control differs from its twin. */
const withheldReasons = ['tooFewStarts', 'controlApart'] as const;

export type WithheldReason = (typeof withheldReasons)[number];

const withheldReason = z.enum(withheldReasons);

/** What rounds of all targets, one slot each, over several starts of all processes, say together. */
export const paired = z.strictObject({
  seed: z.number().int(),
  /** The share within which two targets count as equal: 0.05 for 5 %. */
  equalWithin: z.number().positive(),
  startsPlanned: z.number().int(),
  rounds: z.number().int(),
  /** By target, in the order of `targets`: how long its slots were in the last start. */
  slotsMs: z.array(z.number()),
  tookMs: z.number(),
  ended: z.enum(pairedEnds),
  targets: z.array(pairedTarget),
  /** Starts that are not counted: one of their runs is void, or their slots were too short. */
  voidStarts: z.number().int().min(0),
  /** By start, then by target in the order of `targets`. */
  starts: z.array(z.array(pairedRounds)),
  /** Of the median, and of the last subscriber of each broadcast. */
  pairs: z.array(pairedRatio),
  lastPairs: z.array(pairedRatio),
  /** `pairs` with no round left out. */
  rawPairs: z.array(rawRatio),
  /** Probability of rounds left out as unevenly as this by chance; null if none are. */
  excludedEvenlyP: z.number().min(0).max(1).nullable(),
  /** A target against its twin: the truth is 1. */
  control: pairedRatio.nullable(),
  /** Targets that change within a start and move a ratio: by how many times from the first round to the last. */
  trends: z.array(z.strictObject({ target: z.string(), change: z.number() })),
  /** How many times as long a target takes among idle neighbours as alone; null where that was not measured. */
  crowd: z.array(z.strictObject({ target: z.string(), ratio: z.number(), interval })).nullable(),
  /** How many times as long slots take that follow one of this target; the intervals hold together. */
  after: z.array(z.strictObject({ target: z.string(), ratio: z.number(), interval })),
  /** External targets that nobody restarts: their starts are fresh connections to the same processes. */
  sameProcesses: z.array(z.string()).optional(),
  /** Why no order is claimed; empty if it is. */
  withheld: z.array(withheldReason),
});

export type Paired = z.output<typeof paired>;
