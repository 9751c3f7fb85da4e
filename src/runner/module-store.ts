import { rm } from 'node:fs/promises';
import type { FastifyInstance } from 'fastify';
import { digestOf } from '../contract/bodies.js';
import { type JobModule, moduleDigest, mostModuleBytes } from '../contract/modules.js';
import { type Problem, ProblemError, problem } from '../contract/problems.js';
import { FlowFault, ModuleFolder } from '../flow/module/load-flow.js';
import { digestStart, loadJobProtocol } from '../flow/module/load-protocol.js';

/** Modules that stay. A driver that finds its module gone sends it again. */
const mostKept = 64;

/** Holds the modules that drivers sent to this bench-runner, by digest, in a private temporary folder. */
export class ModuleStore {
  readonly #folder = new ModuleFolder();
  /** Paths by digest, the oldest first. */
  readonly #paths = new Map<string, string>();

  constructor(readonly isAllowed: boolean) {}

  problems(modules: readonly JobModule[]): Problem[] {
    if (modules.length === 0) return [];
    if (!this.isAllowed) return [notAllowed()];
    return modules
      .filter(({ digest }) => !this.#paths.has(digest))
      .map(({ name, digest }) => missing(`module ${name}: there is none of digest ${digest} on this bench-runner`));
  }

  /** Returns the files of modules without `problems`. */
  filesOf(modules: readonly JobModule[]): string[] {
    return modules.map(({ digest }) => this.#paths.get(digest)!);
  }

  /** Loads the protocol of a job, and returns its file. Undefined for a protocol of ours. Throws `ProblemError`. */
  async protocolFile(protocol: string): Promise<string | undefined> {
    const start = digestStart(protocol);
    if (start === undefined) return undefined;
    if (!this.isAllowed) throw new ProblemError([notAllowed()]);
    const [, path] = [...this.#paths].find(([digest]) => digest.startsWith(start)) ?? [];
    if (path === undefined)
      throw new ProblemError([missing(`protocol ${protocol}: there is no module of that digest on this bench-runner`)]);
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
      throw new ProblemError([problem('moduleDamaged', `expected a module of digest ${digest}, received ${found}`)]);
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

function notAllowed(): Problem {
  return problem('modulesNotAllowed', 'this bench-runner runs no modules of users');
}

function missing(text: string): Problem {
  return problem('moduleMissing', text);
}

/** Adds the routes by which drivers send modules. */
export function addModuleRoutes(service: FastifyInstance, store: ModuleStore): void {
  type Route = { Params: { digest: string } };
  service.addHook('onClose', () => store.end());
  service.register((routes, _options, done) => {
    // Other routes take only JSON.
    routes.addContentTypeParser('application/octet-stream', { parseAs: 'buffer' }, (_request, body, parsed) =>
      parsed(null, body),
    );
    routes.addHook('onRequest', async () => {
      if (!store.isAllowed) throw new ProblemError([notAllowed()]);
    });
    routes.get<Route>('/modules/:digest', ({ params: { digest } }) => {
      if (!store.has(digest)) throw new ProblemError([problem('notFound', 'there is no module of this digest')]);
      return { digest };
    });
    routes.put<Route>('/modules/:digest', { bodyLimit: mostModuleBytes }, async ({ params, body }, reply) => {
      const digest = moduleDigest.safeParse(params.digest);
      if (!digest.success) throw new ProblemError([problem('badBody', `module: ${digest.error.issues[0]?.message}`)]);
      if (!(body instanceof Uint8Array))
        throw new ProblemError([problem('badBody', 'expected content-type: application/octet-stream')]);
      await store.put(digest.data, body);
      return reply.code(201).send({ digest: digest.data });
    });
    done();
  });
}
