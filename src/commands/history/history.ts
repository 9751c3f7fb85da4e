import { z } from 'zod';
import { outsideSentence } from '../../contract/outside.js';
import { diffRow } from '../../results/diff.js';
import { interval, resultVersion, tool } from '../../results/result.js';

/** One run's figure. */
export const historyPoint = z.strictObject({
  directory: z.string(),
  startedAt: z.iso.datetime(),
  /** Null where the run has no such figure. */
  value: z.number().nullable(),
  /** 95 %, over the broadcasts of the run; null where none is known. */
  interval: interval.nullable(),
  rig: z.enum(['clean', 'limited', 'void']),
  /** What is otherwise than in the run before it: versions, settings, machine. */
  changed: z.array(z.string()),
});

export type HistoryPoint = z.output<typeof historyPoint>;

/** The runs of one target in one shape, in the order of time. */
export const historyLine = z.strictObject({
  scenario: z.string(),
  target: z.string(),
  fingerprint: z.string(),
  /** The shape's options and clients, for whoever reads the fingerprint. */
  options: z.record(z.string(), z.unknown()),
  client: z.string(),
  kind: diffRow.shape.kind,
  unit: diffRow.shape.unit,
  better: diffRow.shape.better,
  points: z.array(historyPoint),
});

export type HistoryLine = z.output<typeof historyLine>;

/** What `ringside history --json` prints. */
export const history = z.strictObject({
  schema: z.literal(resultVersion),
  tool,
  /** As in thresholds: `delivery.p99`, `lost`, `delivered%`, `footprint`. */
  metric: z.string(),
  lines: z.array(historyLine),
  /** Runs whose scenario has no such figure, by scenario. */
  without: z.record(z.string(), z.number().int()),
  /** Kept files that can't be read, and why. */
  unreadable: z.array(z.strictObject({ file: z.string(), why: outsideSentence })),
});

export type History = z.output<typeof history>;
