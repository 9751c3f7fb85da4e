import type { ExitName } from '../contract/exit-codes.js';
import type { Problem } from '../contract/problems.js';
import { tellProblems } from './fail.js';
import { note } from './terminal/output.js';

/** Whether the results of a command were written. */
export class Keeping {
  /** By message: one cause fails for every file beside it. */
  readonly #problems = new Map<string, Problem>();
  readonly notKept = (problem: Problem): void => {
    this.#problems.set(problem.message, problem);
  };

  /** Whether everything was written. */
  get isWhole(): boolean {
    return this.#problems.size === 0;
  }

  /** Says on stderr where the result is kept, or why it is not. */
  tell(directory: string): void {
    if (this.isWhole) note(`kept in ${directory}`);
    else tellProblems({ problems: [...this.#problems.values()] });
  }

  /** The exit of a command that ends like this: not clean if the result was not kept. */
  exit(name: ExitName): ExitName {
    return name === 'clean' && !this.isWhole ? 'rig' : name;
  }
}
