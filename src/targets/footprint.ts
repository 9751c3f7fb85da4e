/** Memory of a managed target in bytes: of each idle connection, without the kernel's part, and of each process. */
export interface Footprint {
  connection: number;
  process: number;
}

/** Measured by `run idle` on Node 20, 2026-11-23. Targets that are not named count as nothing: any real one has more. */
const measured: Readonly<Record<string, Footprint>> = {
  uws: { connection: 600, process: 30_000_000 },
};

/** What a target needs at least, as far as it was measured. */
export function footprintOf(target: string): Footprint {
  return measured[target] ?? { connection: 0, process: 0 };
}
