import { z } from 'zod';
import { machine } from '../contract/shard.js';
import { resultVersion, rigLoad, tool, verdict } from './result.js';

const count = z.number().int().min(0);
const figure = z.number().nullable();
/** Null with too few deliveries. */
const figures = z.strictObject({ p50: figure, p99: figure, max: figure });

/** One load of the grid; latencies in microseconds. */
export const calibrationPoint = z.strictObject({
  /** With the rate that the metronome reached. */
  load: rigLoad,
  /** The rate asked for, where the metronome reached less. */
  offeredPerSecond: z.number().optional(),
  target: z.string(),
  /** Computed from the orders. */
  asked: figures,
  /** By the metronome's own stamps. */
  done: figures,
  measured: figures,
  error: figures,
  /** Counted by the metronome and by the rig. */
  counts: z.record(z.string(), z.strictObject({ done: count, measured: count })),
  areCountsExact: z.boolean(),
  /** Counts are exact, and the p99 is within the bound. */
  isTrusted: z.boolean(),
  rig: verdict.shape.rig,
  directory: z.string(),
});

export type CalibrationPoint = z.output<typeof calibrationPoint>;

export const calibrationFile = 'calibration.json';

/** `calibration.json`: at which loads this machine is right. */
export const calibration = z.strictObject({
  schema: z.literal(resultVersion),
  tool,
  startedAt: z.iso.datetime(),
  machine,
  machineId: z.string(),
  orders: z.record(z.string(), z.unknown()),
  boundUs: z.number(),
  points: z.array(calibrationPoint),
  /** Loads skipped because a smaller one of their kind was wrong. */
  skipped: z.array(rigLoad),
});

export type Calibration = z.output<typeof calibration>;
