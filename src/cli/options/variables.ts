import { distance } from 'fastest-levenshtein';
import { moduleVariable } from '../../contract/job.js';
import { type Problem, ProblemError, problem } from '../../contract/problems.js';
import { isInOwnNetwork } from '../own-network.js';
import { note } from '../terminal/output.js';

/** Variables between our own processes, and in tests. */
const ownNames = ['RINGSIDE_EXIT_WITH_STDIN', 'RINGSIDE_NETWORK_LEFT'];

/** Throws `ProblemError` for misspelt variables. Notes names that no option has. `own`: those of the command. */
export async function checkVariables(own: readonly string[]): Promise<void> {
  // A process of a driver inherits its environment. The driver has already checked it.
  if (process.env.RINGSIDE_EXIT_WITH_STDIN === '1' || isInOwnNetwork()) return;
  const { problems, others } = await strayVariables(process.env, own);
  if (problems.length > 0) throw new ProblemError(problems);
  if (others.length > 0) note(`no option has the variable ${others.join(', ')}`);
}

/** Returns variables that look like ours but give no option. `problems` holds near misses. A file may read `others`. */
export async function strayVariables(
  env: NodeJS.ProcessEnv,
  own: readonly string[] = [],
): Promise<{ problems: Problem[]; others: string[] }> {
  const isOurs = (name: string): boolean => name.startsWith('RINGSIDE_') && !name.startsWith(moduleVariable);
  const given = Object.keys(env).filter((name) => isOurs(name) && !ownNames.includes(name) && !own.includes(name));
  const problems: Problem[] = [];
  const others: string[] = [];
  if (given.length === 0) return { problems, others };
  // Loads the schemas of all commands late, as that takes longer than all else of the start of most of them.
  const { knownVariables } = await import('./known-variables.js');
  const known = knownVariables();
  for (const name of given.filter((each) => !known.includes(each))) {
    const meant = nearestName(name, known);
    if (meant === undefined) others.push(name);
    else problems.push(problem('badOption', `${name}: no option has this variable`, `Did you mean ${meant}?`));
  }
  return { problems, others };
}

const mostEdits = 2;

/** Returns the nearest known name with at most two wrong, missing or extra letters. */
export function nearestName(name: string, names: readonly string[]): string | undefined {
  const [first] = names
    .map((each) => ({ each, edits: distance(name, each) }))
    .filter(({ edits }) => edits <= mostEdits)
    .sort((one, other) => one.edits - other.edits);
  return first?.each;
}
