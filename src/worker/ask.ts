import type { Job } from '../scenarios/job.js';
import type { Answered } from '../scenarios/scenario.js';
import { request } from '../units/http.js';
import { requestCause, type SocketError } from '../wire/causes.js';
import { openOutlet } from './publish.js';

/** Length up to which an answer is read. */
const mostCharacters = 4096;

/** Posts without a body to other paths of the publish address, over kept-alive connections. */
export class HttpAsk {
  readonly #pool: ReturnType<typeof openOutlet>['pool'];

  constructor({ target, load }: Pick<Job, 'target' | 'load'>) {
    this.#pool = openOutlet(target.publishUrl, load).pool;
  }

  /** See `AudienceContext.ask`. */
  async ask(path: string): Promise<Answered> {
    try {
      const { statusCode, body } = await request(this.#pool, { path, method: 'POST' });
      const text = (await body.text()).slice(0, mostCharacters);
      return statusCode >= 200 && statusCode < 300 ? { text } : { cause: `http-status:${statusCode}` };
    } catch (error) {
      return { cause: requestCause(error as SocketError) };
    }
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }
}
