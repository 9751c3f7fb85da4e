import { setTimeout as delay } from 'node:timers/promises';
import { ProblemError, problem } from '../../contract/problems.js';
import { Waits } from '../../flow/client/waits.js';
import { FlowHttp, HttpOutlet } from '../../flow/http/http.js';
import { thrownInWords } from '../../flow/module/line.js';
import type { LoadOptions } from '../../scenarios/load-options.js';
import type { PlannedModule } from './read-modules.js';

/** Time in which a `teardown` must end. */
const teardownWithinMs = 30_000;

interface SetupMeans {
  target: URL;
  seed: number;
  load: Pick<LoadOptions, 'caPem' | 'isInsecure' | 'targetCert' | 'connectTimeoutMs' | 'publishTimeoutMs'>;
  interrupt: AbortSignal;
  /** Receives a line about a `teardown` that failed. */
  note?: ((line: string) => void) | undefined;
}

/** Runs `setup` of the flows before a run and `teardown` after it, in the driver. */
export class FlowSetups {
  /** Results of `setup`, by module. */
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
      if (interrupt.aborted) throw new ProblemError([problem('setupInterrupted', `${name}: interrupted in setup`)]);
      throw new ProblemError([problem('badFlow', thrownInWords(error, `${name}: setup`))]);
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
