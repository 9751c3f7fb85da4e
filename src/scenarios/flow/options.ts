import { z } from 'zod';
import type { BookHooks, Slices } from '../books/marks/declarations.js';
import { countOption, drainMs, optionalCount, optionalDuration, optionalRate } from '../options.js';
import {
  type ClientPart,
  dueAtNs,
  lengthMs,
  shareVisits,
  stagesOf,
  stagesOfClients,
  type Visit,
  visitCount,
  visitsOf,
} from '../traffic/schedule.js';

const usual = { clients: 100, durationMs: 30_000, arrivals: 50 } as const;
/** Share of the duration in which all clients begin, if the user names no rate. */
const arrivingShare = 0.5;

export const flowOptions = z.strictObject({
  clients: optionalCount('clients', [1, 10_000_000], `clients, all shards together; default ${usual.clients}`),
  arrivalsPerSecond: optionalRate('arrivals', 1e6, `clients that begin per second; default ${usual.arrivals} or more`),
  durationMs: optionalDuration('duration', [1, 86_400_000], 'from the first arrival to the end; default 30s'),
  stages: stagesOfClients('clients that come and go, instead of these: DURATION:CLIENTS, …').optional(),
  drainMs: drainMs(5000, 'longest wait for what is under way; later deliveries count as lost'),
  mostSends: countOption('most-sends', 1_048_576, [1024, 16_777_216], 'declared sends of one shard, for its table'),
});

export type FlowOptions = z.output<typeof flowOptions>;

/** Returns how many clients a run has and how long it loads. */
export function sizeOfFlow({ clients = usual.clients, durationMs = usual.durationMs, stages }: FlowOptions) {
  if (stages === undefined) return { clients, durationMs };
  return { clients: visitCount(stagesOf(stages)), durationMs: lengthMs(stagesOf(stages)) };
}

/** Returns the clients that begin per second: as asked, or at the usual rate if all then begin in half of the time. */
export function arrivalsOf(options: FlowOptions): number {
  const { clients, durationMs } = sizeOfFlow(options);
  return options.arrivalsPerSecond ?? Math.max(usual.arrivals, (clients * 1000) / (durationMs * arrivingShare));
}

const sliceMs = 1000;

/** Returns the slices of the load for figures over time. */
export function slicesOf(options: FlowOptions): Slices & { everyNs: number } {
  return { count: Math.max(1, Math.ceil(sizeOfFlow(options).durationMs / sliceMs)), everyNs: sliceMs * 1e6 };
}

/** What a scenario sees of the flow that it wraps. Clients have their numbers within the worker. */
export interface FlowHooks extends BookHooks {
  begun?(lateNs: number): void;
  joined?(client: number): void;
  left?(client: number, cause: string): void;
}

type ArrivalContext = ClientPart & { options: FlowOptions };

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
