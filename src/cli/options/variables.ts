import { calibrateOptions } from '../../commands/calibrate/calibrate-options.js';
import { reproduceOptions } from '../../commands/reproduce/options.js';
import { kneeSchema } from '../../commands/search/knee/plan.js';
import { suiteOptions } from '../../commands/suite/options.js';
import { scenarios } from '../../contract/catalog.js';
import { type Problem, problem } from '../../contract/problems.js';
import { nearest } from '../../options/nearest.js';
import { optionsOf, variablesOf } from '../../options/option.js';
import { bracketSchema, compareSchema, runSchema } from '../../run/plan/plan.js';
import { findOptions, watchOptions } from '../../run/plan/run-options.js';
import { runnerOptions } from '../../runner/options.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** What processes of ours tell each other, and tests. */
const ownNames = ['RINGSIDE_EXIT_WITH_STDIN', 'RINGSIDE_DIST'];

/** Every variable that an option of some command is read from. */
function knownNames(): string[] {
  const schemas = [
    ...[runnerOptions, watchOptions, findOptions, kneeSchema, calibrateOptions, reproduceOptions, suiteOptions],
    ...scenarios.flatMap((each) => [runSchema(each), compareSchema(each), bracketSchema(each)]),
  ];
  return [...new Set(schemas.flatMap((schema) => optionsOf(schema).flatMap(variablesOf))), ...ownNames];
}

/** The variables that look like ours and give no option: `problems` are those that are one misspelt, `others` may be names that a file uses as `${NAME}`. */
export function strayVariables(env: Environment): { problems: Problem[]; others: string[] } {
  const given = Object.keys(env).filter((name) => name.startsWith('RINGSIDE_'));
  const known = given.length > 0 ? knownNames() : [];
  const problems: Problem[] = [];
  const others: string[] = [];
  for (const name of given.filter((each) => !known.includes(each))) {
    const meant = nearest(name, known);
    if (meant === undefined) others.push(name);
    else problems.push(problem('badOption', `${name}: no option has this variable`, `Did you mean ${meant}?`));
  }
  return { problems, others };
}
