import type { Making, MakingContext } from '../commands/command.js';
import type { ExitName } from '../contract/exit-codes.js';
import type { Problem } from '../contract/problems.js';
import { descriptorLimit } from '../runner/shard-self.js';
import { tellProblems } from './fail.js';
import { note } from './terminal/output.js';
import { Progress } from './terminal/progress.js';

/** One piece of load: its progress, and whether its results were written. */
export class CliMaking implements Making {
  readonly context: MakingContext;
  readonly #progress: Progress;
  /** By message: one cause fails for every file beside it. */
  readonly #notKept = new Map<string, Problem>();

  constructor(label: string, subject: string, interrupt: AbortSignal) {
    const progress = new Progress(label);
    this.#progress = progress;
    this.context = {
      childDescriptors: descriptorLimit(),
      interrupt,
      notKept: (problem) => this.#notKept.set(problem.message, problem),
      progress: (view) => progress.show(view),
      begins: (name, number, of) => progress.begin(`${subject}${number}/${of} ${name}`),
      finished: this.end,
      label: (text) => progress.begin(text),
      note: (line) => {
        progress.end();
        note(line);
      },
      tell: this.tell,
    };
  }

  get isWhole(): boolean {
    return this.#notKept.size === 0;
  }

  readonly end = (): void => this.#progress.end();

  readonly tell = (directory: string): void => {
    this.#progress.end();
    if (this.isWhole) note(`kept in ${directory}`);
    else tellProblems({ problems: [...this.#notKept.values()] });
  };

  exit(name: ExitName): ExitName {
    return name === 'clean' && !this.isWhole ? 'rig' : name;
  }
}
