import { z } from 'zod';
import { machine } from '../contract/shard.js';
import { resultVersion, rigLoad, tool } from './result.js';

const count = z.number().int().min(0);
const figure = z.number().nullable();
/** Null where there are too few deliveries to carry it. */
const figures = z.strictObject({ p50: figure, p99: figure, max: figure });

/** One point of the grid: what the metronome was asked to do, what it did by its own stamps, and what the rig measured. Latencies in microseconds. */
export const calibrationPoint = z.strictObject({
  load: rigLoad,
  target: z.string(),
  /** What the orders made of each delivery. */
  asked: figures,
  /** What the same deliveries had: from the rig's stamp of the send to the metronome's of the write. */
  done: figures,
  measured: figures,
  /** Measured less done; null where either is. */
  error: figures,
  /** What the metronome counted, and what the rig did. */
  counts: z.record(z.string(), z.strictObject({ done: count, measured: count })),
  areCountsExact: z.boolean(),
  /** Whether counts are exact, and there is a p99 whose error lies within the bound. */
  isTrusted: z.boolean(),
  rig: z.enum(['clean', 'limited', 'void']),
  directory: z.string(),
});

export type CalibrationPoint = z.output<typeof calibrationPoint>;

/** The file of a calibration, in its directory. */
export const calibrationFile = 'calibration.json';

/** `calibration.json`: what this machine's rig may be trusted with. */
export const calibration = z.strictObject({
  schema: z.literal(resultVersion),
  tool,
  startedAt: z.iso.datetime(),
  machine,
  /** Of the machine: equal where nothing changed. */
  machineId: z.string(),
  orders: z.record(z.string(), z.unknown()),
  boundUs: z.number(),
  points: z.array(calibrationPoint),
  /** Loads that were left out, because a smaller one of their kind was wrong. */
  skipped: z.array(rigLoad),
});

export type Calibration = z.output<typeof calibration>;
