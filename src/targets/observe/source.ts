import { z } from 'zod';
import type { MetricName, SourceName } from '../../measure/series.js';
import { outsideText } from '../../units/outside-text.js';

/** One value that a source read; `atMs` where the source knows the instant better than the reader of its answer. */
export interface Reading {
  name: MetricName;
  value: number;
  process?: string | undefined;
  atMs?: number | undefined;
}

/** What gives no more values from here on: everything of a process, one metric of it, or everything of the source. */
export interface Ending {
  process?: string | undefined;
  name?: MetricName | undefined;
  because: string;
}

/** What one reading of a source gave. Endings come before values: a process that began anew ends first. */
export interface Readings {
  endings: readonly Ending[];
  values: readonly Reading[];
}

/** The time axis of one observation. */
export interface Axis {
  /** Milliseconds since the observation's start, monotonic. */
  nowMs(): number;
  /** This machine's wall clock at the start, in milliseconds since the epoch: for stamps of other hosts alone. */
  startedAtEpochMs: number;
}

/** Something that can be read for metrics, again and again, never twice at once. */
export interface ObservationSource {
  source: SourceName;
  /** The metrics it should give: one that it never gave leaves an empty series that says why. */
  reads: readonly MetricName[];
  /** Reads no more often than this, whatever the observation's interval. */
  everyMs?: number;
  /** Metrics that it gives less often than it is read, and how often; Infinity: once for each process. */
  rarely?: Partial<Record<MetricName, number>>;
  clock?: 'foreign';
  /** Gives values of the past, so that one reading at the end completes it. */
  isRetrospective?: boolean;
  /** Rejects when nothing could be read; `signal` cuts it off at the observation's end. */
  read(axis: Axis, signal: AbortSignal): Promise<Readings>;
}

/** Why a reading failed, in one line. */
export function reasonOf(error: unknown): string {
  if (error instanceof z.ZodError) return outsideText(z.prettifyError(error));
  const { message, code } = error as NodeJS.ErrnoException;
  return outsideText(message || (code ?? String(error)));
}
