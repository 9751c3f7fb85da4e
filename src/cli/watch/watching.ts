import { ProblemError, problem } from '../../contract/problems.js';
import type { Given } from '../../driver/plan.js';
import { type WatchOptions, watchOptions } from '../../driver/run-options.js';
import { fileKey, optionsOf } from '../../options/option.js';
import { resolveOptions } from '../../options/resolve.js';

/** Parts what `run` was given: what is about watching, and what is about the run. Throws `ProblemError`. */
export function watchingOf({ flags, env, file }: Given): { watching: WatchOptions; given: Given } {
  const own = optionsOf(watchOptions);
  const [keys, names] = [own.map(({ key }) => key), own.map(fileKey)];
  const part = (entries: Record<string, unknown>, chosen: readonly string[], isChosen: boolean) =>
    Object.fromEntries(Object.entries(entries).filter(([name]) => chosen.includes(name) === isChosen));
  const resolved = resolveOptions(watchOptions, { flags, env, file: part(file, names, true) });
  if (!resolved.ok) {
    throw new ProblemError(
      resolved.issues.map(({ option, expected, received }) =>
        problem('badOption', `${option}: expected ${expected}, received ${received}`),
      ),
    );
  }
  return { watching: resolved.values, given: { flags: part(flags, keys, false), env, file: part(file, names, false) } };
}
