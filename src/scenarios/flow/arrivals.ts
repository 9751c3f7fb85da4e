import { dueAtNs } from '../pace.js';
import { shareVisits, stagesOf, type Visit, visitCount, visitsOf } from '../roster/stages.js';
import type { AudienceContext } from '../scenario.js';
import { arrivalsOf, type FlowOptions } from './options.js';

type ArrivalContext = Pick<AudienceContext<FlowOptions>, 'options' | 'firstClient' | 'clientCount' | 'totalClients'>;

/** Returns when each client of a worker begins and has to go, in milliseconds after the start, the first one first. */
export function arrivalsIn(context: ArrivalContext): readonly Visit[] {
  const { clientCount, options, totalClients } = context;
  if (options.stages === undefined) {
    const rate = (arrivalsOf(options) * clientCount) / totalClients;
    const fromMs = (client: number): number => dueAtNs(client, rate) / 1e6;
    return Array.from({ length: clientCount }, (_, client) => ({
      fromMs: fromMs(client),
      toMs: Number.POSITIVE_INFINITY,
    }));
  }
  const stages = stagesOf(options.stages);
  const all = visitsOf(stages);
  const { visits } = shareVisits(context, visitCount(stages));
  return visits.map((visit) => all[visit]!).sort((one, other) => one.fromMs - other.fromMs);
}
