/** Begins the names of gates and figures of the places where the clients of a flow wait for each other. */
export const crowdGate = 'together:';

/** The live figure of the clients that have not ended, those still to come included. Shares of a crowd are of it. */
export const thereFigure = 'there';

/** Part of the clients that a gate awaits: a number, or a share. */
export type CrowdSize = { clients: number } | { share: number };

/** Shares have this many parts in the name of a figure. */
const partsOfShare = 10_000;

/** Returns the name of the live figure of clients that wait at a gate. The size is in it, as figures add up. */
export function crowdFigure(gate: string, size: CrowdSize): string {
  const part = 'clients' in size ? `${size.clients}` : `${Math.max(1, Math.round(size.share * partsOfShare))}p`;
  return `${crowdGate}${gate}:${part}`;
}

interface Crowd {
  waiting: number;
  needed: number;
}

function crowdsIn(figures: Readonly<Record<string, number>>): Map<string, Crowd> {
  const crowds = new Map<string, Crowd>();
  for (const [name, waiting] of Object.entries(figures)) {
    const [, gate, size, isShare] = /^(together:[\w.-]+):(\d+)(p?)$/.exec(name) ?? [];
    if (gate === undefined) continue;
    const there = figures[thereFigure] ?? Number.POSITIVE_INFINITY;
    const needed = isShare === 'p' ? Math.ceil((there * Number(size)) / partsOfShare) : Number(size);
    const crowd = crowds.get(gate) ?? { waiting: 0, needed: 0 };
    // Clients that ask for different sizes get the largest.
    crowds.set(gate, { waiting: crowd.waiting + waiting, needed: Math.max(crowd.needed, needed) });
  }
  return crowds;
}

/** Returns the whole names of the gates at which clients wait. */
export function waitedGates(figures: Readonly<Record<string, number>>): string[] {
  return [...crowdsIn(figures)].flatMap(([gate, { waiting }]) => (waiting > 0 ? gate : []));
}

/** Returns those at which enough clients wait. */
export function fullGates(figures: Readonly<Record<string, number>>): string[] {
  return [...crowdsIn(figures)].flatMap(([gate, { waiting, needed }]) =>
    waiting > 0 && waiting >= needed ? gate : [],
  );
}
