import { z } from 'zod';
import { machine } from '../contract/shard.js';
import { experimentHead } from './journal.js';
import { rigLoad, verdict } from './result.js';

const count = z.number().int().min(0);
const figure = z.number().nullable();
/** Null with too few deliveries. */
const figures = z.strictObject({ p50: figure, p99: figure, max: figure });

/** Describes one load of the grid. Latencies are in microseconds. */
export const calibrationPoint = z.strictObject({
  /** Load, at the rate that the metronome reached. */
  load: rigLoad,
  /** Requested rate, if the metronome reached less. */
  offeredPerSecond: z.number().optional(),
  target: z.string(),
  /** Figures computed from the orders. */
  asked: figures,
  /** Figures by the metronome's own stamps. */
  done: figures,
  measured: figures,
  error: figures,
  /** Counts of the metronome and of the rig. */
  counts: z.record(z.string(), z.strictObject({ done: count, measured: count })),
  areCountsExact: z.boolean(),
  /** Set if counts are exact and the p99 is within the bound. */
  isTrusted: z.boolean(),
  rig: verdict.shape.rig,
  directory: z.string(),
});

export type CalibrationPoint = z.output<typeof calibrationPoint>;

/** Describes a calibration: the loads at which this machine is right. */
export const calibration = z.strictObject({
  ...experimentHead.shape,
  kind: z.literal('calibration'),
  machine,
  machineId: z.string(),
  orders: z.record(z.string(), z.unknown()),
  boundUs: z.number(),
  points: z.array(calibrationPoint),
  /** Loads skipped because a smaller one of their kind was wrong. */
  skipped: z.array(rigLoad),
});

export type Calibration = z.output<typeof calibration>;
