import { rm } from 'node:fs/promises';
import { digestOf } from '../contract/bodies.js';
import type { JobModule } from '../contract/job.js';
import { type Problem, ProblemError, problem, problemError } from '../contract/problems.js';
import { FlowFault, ModuleFolder } from '../flow/module/load-flow.js';
import { digestStart, loadJobProtocol } from '../flow/module/load-protocol.js';

/** Modules that stay. A driver that finds its module gone sends it again. */
const mostKept = 64;
const notAllowed = problem('modulesNotAllowed', 'this bench-runner runs no modules of users');

/** Holds the modules that drivers sent to this bench-runner, by digest, in a private temporary folder. */
export class ModuleStore {
  readonly #folder = new ModuleFolder();
  /** Paths by digest, the oldest first. */
  readonly #paths = new Map<string, string>();

  constructor(readonly isAllowed: boolean) {}

  refuseUnlessAllowed(): void {
    if (!this.isAllowed) throw new ProblemError([notAllowed]);
  }

  problems(modules: readonly JobModule[]): Problem[] {
    if (modules.length === 0) return [];
    if (!this.isAllowed) return [notAllowed];
    return modules
      .filter(({ digest }) => !this.#paths.has(digest))
      .map(({ name, digest }) =>
        problem('moduleMissing', `module ${name}: there is none of digest ${digest} on this bench-runner`),
      );
  }

  filesOf(modules: readonly JobModule[]): string[] {
    return modules.map(({ digest }) => this.#paths.get(digest)!);
  }

  /** Loads the protocol of a job, and returns its file. Undefined for a protocol of ours. Throws `ProblemError`. */
  async protocolFile(protocol: string): Promise<string | undefined> {
    const start = digestStart(protocol);
    if (start === undefined) return undefined;
    this.refuseUnlessAllowed();
    const [, path] = [...this.#paths].find(([digest]) => digest.startsWith(start)) ?? [];
    if (path === undefined)
      throw problemError(
        'moduleMissing',
        `protocol ${protocol}: there is no module of that digest on this bench-runner`,
      );
    await loadJobProtocol(protocol, path).catch((error: unknown) => {
      throw error instanceof FlowFault ? new ProblemError(error.faults.map((each) => problem('badFlow', each))) : error;
    });
    return path;
  }

  has(digest: string): boolean {
    return this.#paths.has(digest);
  }

  /** Takes a module. Throws `ProblemError` if its digest differs. */
  async put(digest: string, body: Uint8Array): Promise<void> {
    const found = digestOf(body);
    if (found !== digest)
      throw problemError('moduleDamaged', `expected a module of digest ${digest}, received ${found}`);
    this.#paths.set(digest, await this.#folder.write(digest, body));
    const [[oldest, path] = []] = this.#paths;
    if (oldest === undefined || path === undefined || this.#paths.size <= mostKept) return;
    this.#paths.delete(oldest);
    await rm(path, { force: true });
  }

  end(): Promise<void> {
    return this.#folder.remove();
  }
}
