import { Client } from 'undici';

/** What a GET brought. */
export interface Answer {
  statusCode: number;
  text: string;
}

/** How a GET is made: `signal` cuts it off, and so does the end of `withinMs`. */
export interface Asking {
  withinMs: number;
  signal?: AbortSignal | undefined;
  headers?: Record<string, string>;
}

/**
 * One GET over a connection of its own: one that is kept could outlive the target and meet its successor. Rejects when nothing has answered within
 * its time, from the first SYN on: a full accept queue drops those without a word.
 */
export async function answerOf(url: string, { withinMs, signal, headers = {} }: Asking): Promise<Answer> {
  const { origin, pathname, search } = new URL(url);
  const timeUp = AbortSignal.timeout(withinMs);
  const end = signal === undefined ? timeUp : AbortSignal.any([signal, timeUp]);
  // A request hears its signal once it has a connection; until then only the socket can.
  const client = new Client(origin, { connect: { signal: end, timeout: withinMs } });
  try {
    const { statusCode, body } = await client.request({ path: pathname + search, method: 'GET', headers, signal: end });
    return { statusCode, text: await body.text() };
  } catch (error) {
    throw timeUp.aborted && signal?.aborted !== true ? new Error(`no answer within ${withinMs} ms`) : error;
  } finally {
    await client.destroy();
  }
}
