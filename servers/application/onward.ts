import { Pool } from 'undici';
import type { Answer } from '../routes.js';

/** Publishes that one bench-runner makes at once, by its default. */
const connections = 64;

/** The way from the application to the target: its publish URL, over kept-alive connections. */
export class Onward {
  readonly #pool: Pool;
  readonly #path: string;

  constructor(publishUrl: string) {
    const url = new URL(publishUrl);
    this.#pool = new Pool(url.origin, { connections, pipelining: 1 });
    this.#path = url.pathname + url.search;
  }

  /** Posts a body as it is; gives the target's status and body. Rejects where the target gives none. */
  async publish(body: string): Promise<Answer> {
    const headers = { 'content-type': 'application/json' };
    const answer = await this.#pool.request({ path: this.#path, method: 'POST', headers, body });
    return { status: answer.statusCode, body: await answer.body.text() };
  }

  /** Resolves when every publish under way is answered. */
  close(): Promise<void> {
    return this.#pool.close();
  }
}
