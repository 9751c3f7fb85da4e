import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import fastify from 'fastify';
import { pageAssets } from '../../commands/report/page.js';
import { ProblemError, problem } from '../../contract/problems.js';
import { type LiveCharts, liveCharts } from '../../render/html/live/charts.js';
import { LiveHistory, type LiveView } from '../../render/html/live/history.js';
import { renderLivePage } from '../../render/html/live/page.js';
import type { ProgressView } from '../../results/progress.js';
import { pageFault } from '../../runner/allow-list.js';

const loopback = '127.0.0.1';
/** Unread bytes after which a reader counts as stopped. */
const unreadBytesAtMost = 2 ** 20;
/** Longest delay of the command by a browser that does not read to the end. */
const flushWithinMs = 3000;

/** Serves a page on the loopback that shows a run live and becomes its report. */
export class WatchPage {
  readonly #readers = new Set<ServerResponse>();
  readonly #history: LiveHistory;
  readonly #service = fastify({ forceCloseConnections: true });
  #last: LiveView | undefined;

  private constructor(page: string, charts: LiveCharts) {
    this.#history = new LiveHistory(charts);
    this.#service.addHook('onRequest', async (request, reply) => {
      if (pageFault(request) !== undefined) await reply.code(403).send();
    });
    this.#service.get('/', (_request, reply) => reply.type('text/html; charset=utf-8').send(page));
    this.#service.get('/events', (_request, reply) => {
      reply.hijack();
      this.#admit(reply.raw);
    });
  }

  /** Opens the page. It shows the percentiles of `metric`. Throws `ProblemError` if the port is taken. */
  static async open(watchPort: number, title: string, shards: number, metric: string | undefined): Promise<WatchPage> {
    const charts = liveCharts(shards, metric);
    const page = new WatchPage(renderLivePage(title, shards, charts, await pageAssets()), charts);
    await page.#service.listen({ host: loopback, port: watchPort }).catch((error: NodeJS.ErrnoException) => {
      const hint = 'Choose another --watch-port, or 0 for any free one.';
      throw new ProblemError([problem('portInUse', `--watch-port: ${loopback}:${watchPort}: ${error.message}`, hint)]);
    });
    const { port } = page.#service.server.address() as AddressInfo;
    process.stderr.write(`watch it on http://${loopback}:${port}/\n`);
    return page;
  }

  show(view: ProgressView): void {
    const points = this.#history.take(view);
    const { seconds: _, ...shown } = view;
    this.#last = shown;
    for (const reader of this.#readers) {
      if (reader.writableLength > unreadBytesAtMost) reader.destroy();
      tell(reader, 'view', shown);
      if (points.length > 0) tell(reader, 'points', points);
    }
  }

  /** Turns open pages into the report and ends the server. Then rejects if the report could not be made. */
  async end(words: string, report?: () => Promise<string>): Promise<void> {
    try {
      if (report)
        for (const reader of this.#readers) tell(reader, 'over', { words: `${words} The report is being made.` });
      const making = this.#readers.size > 0 ? report?.() : undefined;
      const end = await (making ?? Promise.resolve(null)).then(
        (html) => ({ words, html }),
        (error: unknown) => ({ words: `${words} No report: ${inWords(error)}`, html: null }),
      );
      await this.#dismiss(end);
      await making;
    } finally {
      await this.#service.close();
    }
  }

  async #dismiss(end: { words: string; html: string | null }): Promise<void> {
    const flushed = [...this.#readers].map(
      (reader) =>
        new Promise<void>((resolve) => {
          reader.once('close', resolve);
          tell(reader, 'end', end);
          reader.end();
        }),
    );
    const patience = new Promise<void>((resolve) => setTimeout(resolve, flushWithinMs).unref());
    await Promise.race([Promise.all(flushed), patience]);
  }

  #admit(reader: ServerResponse): void {
    reader.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store', connection: 'close' });
    reader.on('close', () => this.#readers.delete(reader));
    reader.on('error', () => this.#readers.delete(reader));
    this.#readers.add(reader);
    if (this.#last) tell(reader, 'view', this.#last);
    if (this.#history.points.length > 0) tell(reader, 'points', this.#history.points);
  }
}

function inWords(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function tell(reader: ServerResponse, event: string, data: unknown): void {
  if (!reader.destroyed) reader.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
}
