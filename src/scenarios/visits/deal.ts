/** A worker's part of a run's clients. */
interface Part {
  firstClient: number;
  clientCount: number;
  totalClients: number;
}

/** Which clients of a worker stay from the ramp on, and the visits of the others, by their numbers in the run. */
export interface Dealt {
  staying: number;
  visits: readonly number[];
}

/** Deals so many visits over the run's clients, so that every worker has its share of those that are there together. */
export function dealVisits({ firstClient, clientCount, totalClients }: Part, visits: number): Dealt {
  const stay = totalClients - visits;
  const stayingBelow = (client: number): number => Math.floor((client * stay) / totalClients);
  const staying = clientCount === 0 ? 0 : stayingBelow(firstClient + clientCount) - stayingBelow(firstClient);
  const first = clientCount === 0 ? 0 : firstClient - stayingBelow(firstClient);
  const step = evenStep(visits);
  const dealt = Array.from({ length: clientCount - staying }, (_, n) => ((first + n) * step) % visits);
  return { staying, visits: dealt };
}

/** A step near the golden section that reaches every number modulo `of`: neighbours lie far apart and evenly. */
function evenStep(of: number): number {
  let step = Math.max(1, Math.round(of * 0.618_034));
  while (commonDivisor(step, of) > 1) step++;
  return step;
}

function commonDivisor(a: number, b: number): number {
  return b === 0 ? a : commonDivisor(b, a % b);
}
