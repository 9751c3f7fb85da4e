import { Client } from 'undici';

/** Stats and pages of metrics are far smaller. */
const mostAnswerBytes = 16 * 1024 * 1024;

/** A request: GET, or POST if there is a `body`. Both `signal` and the end of `withinMs` cut it off. */
export interface Question {
  withinMs: number;
  signal?: AbortSignal | undefined;
  headers?: Record<string, string>;
  body?: string;
}

/**
 * Asks over a connection of its own, as a kept one could outlive the target and meet its successor. Rejects more than
 * 16 MiB, and an answer that is incomplete after its time, counted from the first SYN: a full accept queue drops those.
 */
export async function ask(
  url: string,
  { withinMs, signal, headers = {}, body }: Question,
): Promise<{ statusCode: number; text: string }> {
  const { origin, pathname, search } = new URL(url);
  const timeUp = AbortSignal.timeout(withinMs);
  const end = signal === undefined ? timeUp : AbortSignal.any([signal, timeUp]);
  // undici passes a request its signal only once it has a connection; until then only the socket can take it.
  const client = new Client(origin, { connect: { signal: end, timeout: 0 }, maxResponseSize: mostAnswerBytes });
  const method = body === undefined ? 'GET' : 'POST';
  try {
    const request = { path: pathname + search, method, headers, body: body ?? null, reset: true, signal: end } as const;
    const answer = await client.request(request);
    return { statusCode: answer.statusCode, text: await answer.body.text() };
  } catch (error) {
    const isLate = timeUp.aborted && signal?.aborted !== true;
    throw isLate ? new Error(`no answer within ${withinMs} ms`, { cause: error }) : error;
  } finally {
    await client.destroy();
  }
}
