import { setTimeout as delay } from 'node:timers/promises';
import { withoutSecrets } from '../../units/addresses.js';
import { Client, request } from '../../units/http.js';
import { type ProcessStats, type TargetStats, targetStats } from '../target.js';

const answerWithinMs = 5_000;
const askEveryMs = 20;
const replacedWithinMs = 60_000;

/** Reads `GET /_stats` of a target. Rejects if no stats come within 5 s or before the signal. */
export async function fetchStats(url: string, signal?: AbortSignal): Promise<TargetStats> {
  const { statusCode, text } = await ask(url, { withinMs: answerWithinMs, signal });
  if (statusCode !== 200) throw new Error(`${withoutSecrets(url)} answered ${statusCode}`);
  return targetStats.parse(JSON.parse(text));
}

/** Returns the further processes of a target that revives them, as its stats at `statsUrl` name them. */
export async function furtherProcesses(statsUrl: string): Promise<ProcessStats[]> {
  return ((await fetchStats(statsUrl)).processes ?? []).slice(1);
}

/** Ends a further process and waits until one serves at its port, 60 s beyond `downMs`. `over` ends the wait. */
export async function replaceProcess(
  statsUrl: string,
  { pid, port }: Pick<ProcessStats, 'pid' | 'port'>,
  { signal, downMs, over }: { signal: 'SIGTERM' | 'SIGKILL'; downMs: number; over: AbortSignal },
): Promise<void> {
  process.kill(pid, signal);
  const endMs = performance.now() + downMs + replacedWithinMs;
  while (performance.now() < endMs && !over.aborted) {
    await delay(askEveryMs);
    const found = (await furtherProcesses(statsUrl)).find((each) => each.port === port);
    if (found !== undefined && found.pid !== pid) return;
  }
  if (!over.aborted)
    throw new Error(`no process took over port ${port} of process ${pid} within ${replacedWithinMs / 1000} s`);
}

/** Bound of an answer in bytes. Stats and pages of metrics are far smaller. */
const mostAnswerBytes = 16 * 1024 * 1024;

/** A request: GET, or POST if there is a `body`. Both `signal` and the end of `withinMs` abort it. */
export interface StatsRequest {
  withinMs: number;
  signal?: AbortSignal | undefined;
  headers?: Record<string, string>;
  body?: string;
}

/** Sends a request on its own connection: a kept one could reach the target's successor. Rejects more than 16 MiB. */
export async function ask(
  url: string,
  { withinMs, signal, headers = {}, body }: StatsRequest,
): Promise<{ statusCode: number; text: string }> {
  const { origin, pathname, search } = new URL(url);
  const timeUp = AbortSignal.timeout(withinMs);
  const end = signal === undefined ? timeUp : AbortSignal.any([signal, timeUp]);
  // undici passes a request its signal only once it has a connection. Until then only the socket can take it.
  const client = new Client(origin, { connect: { signal: end, timeout: 0 }, maxResponseSize: mostAnswerBytes });
  const method = body === undefined ? 'GET' : 'POST';
  try {
    const options = { path: pathname + search, method, headers, body: body ?? null, reset: true, signal: end } as const;
    const answer = await request(client, options);
    return { statusCode: answer.statusCode, text: await answer.body.text() };
  } catch (error) {
    const isLate = timeUp.aborted && signal?.aborted !== true;
    throw isLate ? new Error(`no answer within ${withinMs} ms`, { cause: error }) : error;
  } finally {
    await client.destroy();
  }
}
