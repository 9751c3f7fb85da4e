export interface WorkerPart {
  firstClient: number;
  clientCount: number;
}

/** Counts a worker's clients in the first `steps` steps. Client g of the run is in step g mod `of`. */
export function clientsUpTo({ firstClient, clientCount }: WorkerPart, steps: number, of: number): number {
  const below = (end: number): number => Math.floor(end / of) * steps + Math.min(end % of, steps);
  return below(firstClient + clientCount) - below(firstClient);
}

/** Returns the slots of a worker. Each is pinned to a client of the first step, so every operation has one worker. */
export function workerSlots(
  { firstClient, clientCount }: WorkerPart,
  { step, steps, concurrent }: { step: number; steps: number; concurrent: number },
): number[] {
  return Array.from({ length: concurrent }, (_, slot) => slot).filter((slot) => {
    const client = Math.min(step - 1, Math.ceil((slot * step) / concurrent)) * steps;
    return firstClient <= client && client < firstClient + clientCount;
  });
}

/** Returns the name of a metric's samples in one step, numbered from 1. */
export function ofStep(metric: string, step: number): string {
  return `${metric}Step${step}`;
}
