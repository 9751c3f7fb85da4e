import { z } from 'zod';
import type { MetricName, Series, SourceName } from '../../measure/series.js';
import { outsideText } from '../../units/text.js';
import { fetchStats } from '../launch/stats.js';

/** One value that a source read, with `atMs` if the source knows the time better than its reader. */
export interface Reading {
  name: MetricName;
  value: number;
  process?: string | undefined;
  /** By default that of the metric. */
  unit?: Series['unit'] | undefined;
  atMs?: number | undefined;
}

/** Names the part that gives no more values from here on: a process, a metric of it, or the whole source. */
export interface SourceEnding {
  process?: string | undefined;
  name?: MetricName | undefined;
  because: string;
}

/** Holds the result of one reading of a source. Endings come before values: a restarted process ends first. */
export interface Readings {
  endings: readonly SourceEnding[];
  values: readonly Reading[];
}

export interface ObservationAxis {
  /** Returns milliseconds since the observation's start, monotonic. */
  nowMs(): number;
}

/** A source of metrics, one reading at a time. */
export interface ObservationSource {
  source: SourceName;
  /** The metrics it should give. A missing one leaves an empty series with the reason. */
  reads: readonly MetricName[];
  /** Intervals of metrics that not every reading has. Infinity means once for each process. */
  rarely?: Partial<Record<MetricName, number>>;
  /** Rejects if nothing could be read. `signal` aborts it at the observation's end. */
  read(axis: ObservationAxis, signal: AbortSignal): Promise<Readings>;
}

/** Returns why a reading failed, in one line. */
export function reasonOf(error: unknown): string {
  if (error instanceof z.ZodError) return outsideText(z.prettifyError(error));
  const { message, code } = error as NodeJS.ErrnoException;
  return outsideText(message || (code ?? String(error)));
}

/** The rate of a total that only grows. */
export class Growth {
  #total: number | undefined;
  #atMs = 0;

  /** Returns growth per second since the previous call. Undefined for the first call and for a total that fell. */
  perSecond(total: number, atMs: number): number | undefined {
    const [before, intervalMs] = [this.#total, atMs - this.#atMs];
    this.#total = total;
    this.#atMs = atMs;
    if (before === undefined || total < before || intervalMs <= 0) return undefined;
    return (total - before) / (intervalMs / 1000);
  }

  /** Returns true if this total is below the previous one, so that the count started anew. */
  isFall(total: number): boolean {
    return this.#total !== undefined && total < this.#total;
  }
}

/** Reads a target's `GET /_stats`. Event-loop figures count since the previous call, so the first has none. */
export function statsSource(url: string, fetch: typeof fetchStats = fetchStats): ObservationSource {
  let cpu = new Growth();
  let pidBefore: number | undefined;
  return {
    source: 'stats',
    reads: ['rssBytes', 'cpuPercent', 'connections', 'eventLoopDelayP99Ms', 'eventLoopUtilization'],
    async read({ nowMs }, signal) {
      const stats = await fetch(url, signal);
      const cpuSeconds = (stats.cpuUserUs + stats.cpuSystemUs) / 1e6;
      const endings: SourceEnding[] = [];
      const isSame = pidBefore === stats.pid && !cpu.isFall(cpuSeconds);
      if (!isSame) {
        // In a container a restarted process has the same pid.
        if (pidBefore === stats.pid) endings.push({ because: `process ${stats.pid} restarted` });
        else if (pidBefore !== undefined) endings.push({ because: `process ${stats.pid} answers instead` });
        cpu = new Growth();
        pidBefore = stats.pid;
      }
      const perSecond = cpu.perSecond(cpuSeconds, nowMs());
      const values: Reading[] = [
        { name: 'rssBytes', value: stats.rssBytes },
        { name: 'connections', value: stats.connections },
      ];
      if (perSecond !== undefined) values.push({ name: 'cpuPercent', value: perSecond * 100 });
      if (isSame) {
        if (stats.eventLoopDelayP99Ms !== undefined)
          values.push({ name: 'eventLoopDelayP99Ms', value: stats.eventLoopDelayP99Ms });
        if (stats.eventLoopUtilization !== undefined)
          values.push({ name: 'eventLoopUtilization', value: stats.eventLoopUtilization * 100 });
      }
      return { endings, values: values.map((reading) => ({ ...reading, process: String(stats.pid) })) };
    },
  };
}
