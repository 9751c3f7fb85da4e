import type { ExitName } from '../contract/exit-codes.js';
import type { Problem } from '../contract/problems.js';
import { tellProblems } from './fail.js';

/** What became of the results of a command that were to be kept. */
export class Keeping {
  /** By message: what fails once fails for all that is kept beside it. */
  readonly #problems = new Map<string, Problem>();
  /** Is told of what could not be written. */
  readonly notKept = (problem: Problem): void => {
    this.#problems.set(problem.message, problem);
  };

  /** Whether everything was written. */
  get isWhole(): boolean {
    return this.#problems.size === 0;
  }

  /** Says on stderr where the result is kept, or why it is not: after it was printed. */
  tell(directory: string): void {
    if (this.isWhole) process.stderr.write(`kept in ${directory}\n`);
    else tellProblems({ problems: [...this.#problems.values()] });
  }

  /** The exit of a command that ends like this: not clean if the result was not kept. */
  exit(name: ExitName): ExitName {
    return name === 'clean' && !this.isWhole ? 'rig' : name;
  }
}
