import { Client } from 'undici';

/** Stats and pages of metrics are far smaller. */
const mostAnswerBytes = 16 * 1024 * 1024;

/** What came back. */
export interface Answer {
  statusCode: number;
  text: string;
}

/** What is asked, GET when there is no `body`; `signal` cuts it off, and so does the end of `withinMs`. */
export interface Question {
  withinMs: number;
  signal?: AbortSignal | undefined;
  headers?: Record<string, string>;
  body?: string;
}

/**
 * Asks over a connection of its own: one that is kept could outlive the target and meet its successor. Rejects an answer of more than 16 MiB, and when
 * the whole answer has not come within its time, counted from the first SYN: a full accept queue drops those without a word.
 */
export async function ask(url: string, { withinMs, signal, headers = {}, body }: Question): Promise<Answer> {
  const { origin, pathname, search } = new URL(url);
  const timeUp = AbortSignal.timeout(withinMs);
  const end = signal === undefined ? timeUp : AbortSignal.any([signal, timeUp]);
  // A request of undici hears its signal once it has a connection; until then only the socket can.
  const client = new Client(origin, { connect: { signal: end, timeout: 0 }, maxResponseSize: mostAnswerBytes });
  try {
    const answer = await client.request({
      path: pathname + search,
      headers,
      reset: true,
      signal: end,
      ...(body === undefined ? { method: 'GET' } : { method: 'POST', body }),
    });
    return { statusCode: answer.statusCode, text: await answer.body.text() };
  } catch (error) {
    const isLate = timeUp.aborted && signal?.aborted !== true;
    throw isLate ? new Error(`no answer within ${withinMs} ms`, { cause: error }) : error;
  } finally {
    await client.destroy();
  }
}
