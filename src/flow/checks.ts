import { FigureNames } from './names.js';

/** Counts of one check in a worker. `reached`: clients that reached it and have ended. */
interface CheckCounts {
  kept: number;
  broken: number;
  reached: number;
}

/** The checks of a worker's clients. */
export class Checks {
  readonly #names = new FigureNames();
  readonly #counts = new Map<string, CheckCounts>();
  #ended = 0;

  ofClient(): ClientChecks {
    const reached = new Set<CheckCounts>();
    return {
      check: (name, isKept) => {
        const counts = this.#of(name);
        if (isKept) counts.kept++;
        else counts.broken++;
        reached.add(counts);
        return isKept;
      },
      ended: () => {
        this.#ended++;
        for (const counts of reached) counts.reached++;
      },
    };
  }

  #of(name: string): CheckCounts {
    const known = this.#names.nameOf(name);
    const counts = this.#counts.get(known) ?? { kept: 0, broken: 0, reached: 0 };
    this.#counts.set(known, counts);
    return counts;
  }

  /** Returns counts that add up over workers and shards: of all checks, and of each by its name. */
  counts(): Record<string, number> {
    const all = [...this.#counts.values()];
    return {
      checksKept: all.reduce((sum, { kept }) => sum + kept, 0),
      checksBroken: all.reduce((sum, { broken }) => sum + broken, 0),
      checkersEnded: this.#ended,
      ...Object.fromEntries(
        [...this.#counts].flatMap(([name, { kept, broken, reached }]) => [
          [`kept:${name}`, kept],
          [`broken:${name}`, broken],
          [`reached:${name}`, reached],
        ]),
      ),
    };
  }
}

/** The checks of one life of a client. */
export interface ClientChecks {
  /** Counts a check, and returns whether it is kept. */
  check(name: string, isKept: boolean): boolean;
  /** Counts the client among those that reached their checks, or did not. Call it once, at its end. */
  ended(): void;
}

/** Returns how often a client ended without a check that others reached, from the counts of all workers and shards. */
export function checksNotReached(counts: Readonly<Record<string, number>>): number {
  const ended = counts.checkersEnded ?? 0;
  const reached = Object.entries(counts).filter(([name]) => name.startsWith('reached:'));
  return reached.reduce((sum, [, clients]) => sum + ended - clients, 0);
}
