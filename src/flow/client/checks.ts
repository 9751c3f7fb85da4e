import { FigureNames } from '../names.js';

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

  /** `seen` gets each check, too. */
  constructor(private readonly seen?: (name: string, isKept: boolean) => void) {}

  /** Counts a check. Returns the counts of all of its name. */
  count(name: string, isKept: boolean): CheckCounts {
    this.seen?.(name, isKept);
    const counts = this.#of(name);
    if (isKept) counts.kept++;
    else counts.broken++;
    return counts;
  }

  #of(name: string): CheckCounts {
    const known = this.#names.nameOf(name);
    const counts = this.#counts.get(known) ?? { kept: 0, broken: 0, reached: 0 };
    this.#counts.set(known, counts);
    return counts;
  }

  /** Returns counts of all checks, and of each by its name, that add up over workers and shards. */
  report() {
    const by = (of: keyof CheckCounts): Record<string, number> =>
      Object.fromEntries([...this.#counts].map(([name, counts]) => [name, counts[of]]));
    const sum = (of: keyof CheckCounts): number =>
      [...this.#counts.values()].reduce((all, counts) => all + counts[of], 0);
    const [checksKept, checksBroken] = [sum('kept'), sum('broken')];
    return {
      counts: { checks: checksKept + checksBroken, checksKept, checksBroken },
      causes: { checkKept: by('kept'), checkBroken: by('broken'), checkReached: by('reached') },
    };
  }
}

/** The checks of one life of a client. */
export class ClientChecks {
  readonly #reached = new Set<CheckCounts>();

  constructor(private readonly all: Checks) {}

  /** Counts a check, and returns whether it is kept. */
  check(name: string, isKept: boolean): boolean {
    this.#reached.add(this.all.count(name, isKept));
    return isKept;
  }

  /** Counts the client among those that reached their checks, or did not. Call it once, at its end. */
  ended(): void {
    for (const counts of this.#reached) counts.reached++;
  }
}
