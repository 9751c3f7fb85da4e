import { setTimeout as delay } from 'node:timers/promises';
import type { JobModule } from '../../contract/job.js';
import { type Problem, problem, problemError } from '../../contract/problems.js';
import type { JobStatus, ShardInfo } from '../../contract/shard.js';
import { Waits } from '../../flow/client/waits.js';
import { FlowHttp, HttpOutlet } from '../../flow/http/http.js';
import { thrownInWords } from '../../flow/user-code.js';
import type { LoadOptions } from '../../scenarios/load-options.js';
import type { Plan } from '../plan/plan.js';
import { shardAnswer } from '../shards/partial-body.js';
import type { ShardClient } from '../shards/shard-client.js';
import type { PlannedModule } from './read-modules.js';
import { moduleOfProtocol, type SentModule } from './read-protocols.js';

const teardownWithinMs = 30_000;

interface SetupMeans {
  target: URL;
  seed: number;
  load: Pick<LoadOptions, 'caPem' | 'isInsecure' | 'targetCert' | 'connectTimeoutMs' | 'publishTimeoutMs'>;
  interrupt: AbortSignal;
  note?: ((line: string) => void) | undefined;
}

/** Runs `setup` of the flows before a run and `teardown` after it, in the driver. */
export class FlowSetups {
  readonly #shared = new Map<PlannedModule, unknown>();
  readonly #outlet: HttpOutlet;
  readonly #http: FlowHttp;

  constructor(
    private readonly modules: readonly PlannedModule[],
    private readonly means: SetupMeans,
  ) {
    const { caPem, isInsecure, targetCert, connectTimeoutMs, publishTimeoutMs: withinMs } = means.load;
    const reach = { localAddresses: [], caPem, isInsecure, targetCert };
    const { target } = means;
    // Nothing of these requests is measured.
    const timed = (): void => undefined;
    this.#outlet = new HttpOutlet({ target, reach, connections: 1, connectTimeoutMs, withinMs, timed });
    // A teardown asks after an interrupt, too.
    this.#http = new FlowHttp(this.#outlet, new Waits(new AbortController().signal, timed));
  }

  /** Returns what the workers get, by module. Throws `ProblemError` if a `setup` fails or the user ends the run. */
  async begin(): Promise<unknown[]> {
    for (const module of this.modules) this.#shared.set(module, await this.#setUp(module));
    return this.modules.map((module) => this.#shared.get(module));
  }

  async #setUp({ flow, name }: PlannedModule): Promise<unknown> {
    const { target, seed, interrupt } = this.means;
    try {
      interrupt.throwIfAborted();
      const made = flow.setup?.({ target: new URL(target), seed, http: this.#http });
      const json = JSON.stringify(await Promise.race([made, abortOf(interrupt)]));
      return json === undefined ? undefined : JSON.parse(json);
    } catch (error) {
      if (interrupt.aborted) throw problemError('setupInterrupted', `${name}: interrupted in setup`);
      throw problemError('badFlow', thrownInWords(error, `${name}: setup`));
    }
  }

  /** Runs the `teardown` of each flow whose `setup` ended well. Never rejects. */
  async end(): Promise<void> {
    for (const [{ flow, name }, shared] of this.#shared) {
      const over = new AbortController();
      try {
        const work = flow.teardown?.({ target: new URL(this.means.target), http: this.#http, shared });
        const ended = Promise.resolve(work).then(() => true);
        if (!(await Promise.race([ended, delay(teardownWithinMs, false, { signal: over.signal })])))
          throw new Error(`expected it to end within ${teardownWithinMs / 1000} s`);
      } catch (error) {
        this.means.note?.(`teardown failed: ${thrownInWords(error, name)}`);
      } finally {
        over.abort();
      }
    }
    this.#shared.clear();
    await this.#outlet.close();
  }
}

function abortOf(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

/** Explains which shards run no modules of users. */
export function moduleProblems(
  plan: Pick<Plan, 'modules' | 'target'>,
  shards: readonly { url: string; info: Pick<ShardInfo, 'allowsModules'> }[],
): Problem[] {
  const modules = sentFor(plan);
  if (modules.length === 0) return [];
  const names = modules.map(({ name }) => name).join(', ');
  return shards
    .filter(({ info }) => !info.allowsModules)
    .map(({ url }) => problem('modulesNotAllowed', `${url}: expected a bench-runner that runs ${names}`));
}

function sentFor({ modules = [], target }: Pick<Plan, 'modules' | 'target'>): SentModule[] {
  const ofProtocol = moduleOfProtocol(target.protocol);
  return [...modules, ...(ofProtocol ? [ofProtocol] : [])];
}

/** Sends modules to the shards that lack them. Returns those that clients run as jobs name them. Throws. */
export async function sendModules(
  plan: Pick<Plan, 'modules' | 'target'>,
  shared: readonly unknown[],
  shards: readonly ShardClient[],
): Promise<JobModule[]> {
  const send = async (shard: ShardClient): Promise<void> => {
    for (const { digest, body } of sentFor(plan)) {
      if (!(await shardAnswer(shard, shard.hasModule(digest)))) await shardAnswer(shard, shard.putModule(digest, body));
    }
  };
  await Promise.all(shards.map(send));
  return (plan.modules ?? []).map(({ digest, name, weight }, index) => {
    const value = shared[index] as JobModule['shared'];
    return { digest, name, weight, ...(value !== undefined && { shared: value }) };
  });
}

/** Begins a line that `me.log` wrote. */
const ofClient = /^client \d+: /;

interface Logging {
  status: Pick<JobStatus, 'log'> | undefined;
}

/** Notes the lines that clients of flows log, each once. A shard shows its last lines again and again. */
export class LoggedLines {
  readonly #seen = new Map<Logging, readonly string[]>();

  constructor(private readonly note: (line: string) => void) {}

  look(members: readonly Logging[]): void {
    for (const member of members) {
      const lines = member.status?.log ?? [];
      for (const line of newLines(this.#seen.get(member) ?? [], lines)) if (ofClient.test(line)) this.note(line);
      this.#seen.set(member, lines);
    }
  }
}

/** Returns what lines have at their end that they did not have before. The oldest may have gone meanwhile. */
function newLines(before: readonly string[], lines: readonly string[]): readonly string[] {
  for (let gone = 0; gone < before.length; gone++) {
    const kept = before.length - gone;
    if (kept <= lines.length && before.slice(gone).every((line, at) => line === lines[at])) return lines.slice(kept);
  }
  return lines;
}
