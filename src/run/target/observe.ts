import { type Observation, startObservation } from '../../targets/observe/observe.js';
import { hostSource, procSource } from '../../targets/observe/proc.js';
import { prometheusSource } from '../../targets/observe/prometheus.js';
import { type RailwayAccess, railwaySource } from '../../targets/observe/railway.js';
import { statsSource } from '../../targets/observe/stats.js';

/** By what a target can be seen while it is under load. */
export interface Sights {
  /** Process of this machine; its host is then this machine, too. */
  pid?: number | undefined;
  statsUrl?: string | undefined;
  metricsUrl?: string | undefined;
  railway?: RailwayAccess | undefined;
}

/** Watches a target by everything it can be seen by. What can't be read ends its series with the reason; it never ends the run. */
export function observe({ pid, statsUrl, metricsUrl, railway }: Sights, everyMs: number): Observation {
  const isHere = pid !== undefined && process.platform === 'linux';
  const sources = [
    ...(isHere ? [procSource(pid), hostSource()] : []),
    ...(statsUrl === undefined ? [] : [statsSource(statsUrl)]),
    ...(metricsUrl === undefined ? [] : [prometheusSource(metricsUrl)]),
    ...(railway === undefined ? [] : [railwaySource(railway)]),
  ];
  return startObservation(sources, everyMs);
}
