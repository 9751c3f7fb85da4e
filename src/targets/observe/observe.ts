import { performance } from 'node:perf_hooks';
import type { MetricName, Series } from '../../measure/series.js';
import { Poller } from './poller.js';
import type { Axis, ObservationSource } from './source.js';

/** An observation under way. */
export interface Observation {
  /** Ends it and gives every series, in the order of the sources; readings under way are cut off. Later calls give the same. */
  stop(): Promise<Series[]>;
  /**
   * The latest value of a metric, of several processes together, from the first source that has one not older than three of its intervals;
   * undefined where there is none.
   */
  peek(name: MetricName): number | undefined;
}

/**
 * Reads each source at once and then every `everyMs` (or as seldom as the source wants), each by itself: a slow one delays no other, and its
 * missed turns are left out. What fails is recorded in the series, never thrown.
 */
export function startObservation(sources: readonly ObservationSource[], everyMs = 1000): Observation {
  const startMs = performance.now();
  const axis: Axis = { nowMs: () => performance.now() - startMs, startedAtEpochMs: Date.now() };
  const pollers = sources.map((source) => new Poller(source, axis, everyMs));
  let stopped: Promise<Series[]> | undefined;
  return {
    stop() {
      stopped ??= Promise.all(pollers.map((poller) => poller.stop())).then((series) => series.flat());
      return stopped;
    },
    peek(name) {
      for (const poller of pollers) {
        const value = poller.peek(name);
        if (value !== undefined) return value;
      }
      return undefined;
    },
  };
}
