/** Memory of a managed target in bytes: of each idle connection, without the kernel's part, and of each process. */
export interface Footprint {
  connection: number;
  process: number;
}

/** Private memory of an idle server on Node. */
const process = 10_000_000;

/**
 * Bytes per connection that `run idle` printed, and private memory of idle processes: Node 20, 2026-11-23. Targets that
 * are not named count as nothing: any real one has more.
 */
const measured: Readonly<Record<string, Footprint>> = {
  uws: { connection: 1000, process },
  ws: { connection: 8300, process },
  socketio: { connection: 15_700, process },
};

/** What a target needs at least, as far as it was measured. */
export function footprintOf(target: string): Footprint {
  return measured[target] ?? { connection: 0, process: 0 };
}
