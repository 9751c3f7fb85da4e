import { z } from 'zod';
import { outsideText } from '../../units/outside-text.js';
import type { MetricName, SourceName } from './series.js';

/** One value that a source read, with `atMs` if the source knows that better than its reader. */
export interface Reading {
  name: MetricName;
  value: number;
  process?: string | undefined;
  atMs?: number | undefined;
}

/** What gives no more values from here on: a process, a metric of it, or the whole source. */
export interface Ending {
  process?: string | undefined;
  name?: MetricName | undefined;
  because: string;
}

/** What one reading of a source gave. Endings come before values: a restarted process ends first. */
export interface Readings {
  endings: readonly Ending[];
  values: readonly Reading[];
}

/** The time axis of one observation. */
export interface Axis {
  /** Milliseconds since the observation's start, monotonic. */
  nowMs(): number;
  /** This machine's wall clock at the start, in milliseconds since the epoch, to place stamps of other hosts. */
  startedAtEpochMs: number;
}

/** Something to read metrics from, one reading at a time. */
export interface ObservationSource {
  source: SourceName;
  /** The metrics it should give; a missing one leaves an empty series that says why. */
  reads: readonly MetricName[];
  /** Reads no more often than this, whatever the observation's interval. */
  everyMs?: number;
  /** How often it gives metrics that not every reading has; Infinity: once for each process. */
  rarely?: Partial<Record<MetricName, number>>;
  clock?: 'foreign';
  /** Gives past values, so one reading at the end completes it. */
  isRetrospective?: boolean;
  /** Rejects if nothing could be read; `signal` cuts it off at the observation's end. */
  read(axis: Axis, signal: AbortSignal): Promise<Readings>;
}

/** Why a reading failed, in one line. */
export function reasonOf(error: unknown): string {
  if (error instanceof z.ZodError) return outsideText(z.prettifyError(error));
  const { message, code } = error as NodeJS.ErrnoException;
  return outsideText(message || (code ?? String(error)));
}

/** The rate of a total that only grows. */
export class Growth {
  #total: number | undefined;
  #atMs = 0;

  /** Growth per second since the previous call; undefined for the first call and for a total that fell. */
  perSecond(total: number, atMs: number): number | undefined {
    const [before, intervalMs] = [this.#total, atMs - this.#atMs];
    this.#total = total;
    this.#atMs = atMs;
    if (before === undefined || total < before || intervalMs <= 0) return undefined;
    return (total - before) / (intervalMs / 1000);
  }

  /** Whether this total is below the previous one, so that the count started anew. */
  isFall(total: number): boolean {
    return this.#total !== undefined && total < this.#total;
  }
}
