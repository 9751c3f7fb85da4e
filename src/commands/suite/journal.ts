import { relative } from 'node:path';
import { type Problem, problem } from '../../contract/problems.js';
import { thisTool } from '../../contract/version.js';
import { resultVersion } from '../../results/result.js';
import type { ResultStore } from '../../results/store.js';
import type { Held } from './baseline.js';
import { progressFile, type SuiteProgress } from './book.js';
import { fingerprintOf, type PlannedEntry, type SuitePlan } from './plan.js';
import type { Slot } from './schedule.js';

/** What is done of a suite, on disk before the next run begins: whoever is killed can be resumed. */
export class Journal {
  readonly directory: string;
  readonly #progress: SuiteProgress;

  constructor(directory: string, progress: SuiteProgress) {
    this.directory = directory;
    this.#progress = progress;
  }

  get startedAt(): string {
    return this.#progress.startedAt;
  }

  /** Writes it as it stands. */
  async write(store: ResultStore): Promise<void> {
    await store.keep(this.directory, { [progressFile]: this.#progress });
  }

  /** Writes down that a run is done; `directory` is where it was kept. */
  async ran(slot: Slot, directory: string, store: ResultStore): Promise<void> {
    this.#progress.runs.push({ ...slot, directory: relative(this.directory, directory) });
    await this.write(store);
  }
}

/** What a suite begins with. */
export function begun(plan: SuitePlan, baselines: ReadonlyMap<string, Held>, startedAt: string): SuiteProgress {
  const { name, hash, seed } = plan;
  const held = Object.fromEntries(
    [...baselines].map(([entry, each]) => {
      if ('notHeld' in each) return [entry, each];
      const { comparison: _kept, ...rest } = each;
      return [entry, rest];
    }),
  );
  const entries = plan.entries.map(markOf);
  return { schema: resultVersion, tool: thisTool, name, hash, seed, startedAt, entries, held, runs: [] };
}

/** Why a suite can't go on with what was begun; nothing where it can. Pure. */
export function resumeProblems(progress: SuiteProgress, plan: SuitePlan, directory: string): Problem[] {
  const refuse = (message: string): Problem =>
    problem(
      'badFile',
      `--resume ${directory}: ${message}`,
      'Run the suite anew, or with the file that it was begun with.',
    );
  if (progress.tool.version !== thisTool.version)
    return [
      problem(
        'badFile',
        `--resume ${directory}: expected Ringside ${progress.tool.version}, with which it was begun, received ${thisTool.version}`,
        'Go on with that version, or run the suite anew: runs of two versions are no repeats of one another.',
      ),
    ];
  if (progress.name !== plan.name) return [refuse(`expected suite ${progress.name}, received ${plan.name}`)];
  if (progress.hash !== plan.hash)
    return [
      refuse(
        `expected the file as it was begun (${progress.hash.slice(0, 12)}), received another (${plan.hash.slice(0, 12)})`,
      ),
    ];
  return plan.entries.flatMap((entry) => {
    const before = progress.entries.find(({ name }) => name === entry.name);
    const now = markOf(entry);
    if (!before) return [refuse(`expected an entry ${entry.name}, which it was begun without`)];
    return [
      ...(before.shards === now.shards
        ? []
        : [refuse(`${entry.name}: expected ${before.shards} shards, as before, received ${now.shards}`)]),
      ...(before.fingerprint === now.fingerprint
        ? []
        : [
            refuse(
              `${entry.name}: expected shape ${before.fingerprint}, received ${now.fingerprint}: defaults have changed`,
            ),
          ]),
    ];
  });
}

function markOf({ name, plans }: PlannedEntry): SuiteProgress['entries'][number] {
  const fleet = plans[0]?.fleet;
  return { name, fingerprint: fingerprintOf({ plans }), shards: fleet?.shards.length || (fleet?.localShards ?? 1) };
}
