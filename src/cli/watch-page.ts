import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import fastify from 'fastify';
import { ProblemError, problem } from '../contract/problems.js';
import type { ProgressView } from '../contract/progress.js';
import { LiveHistory } from '../report/html/live/history.js';
import { renderLivePage } from '../report/html/live/page.js';
import { pageAssets } from './page-assets.js';

const loopback = '127.0.0.1';
/** A browser that does not read to the end holds nobody up. */
const flushWithinMs = 3000;

/** A page on this machine's loopback that shows a run while it goes, and becomes its report when it is over. */
export class WatchPage {
  readonly #readers = new Set<ServerResponse>();
  readonly #history = new LiveHistory();
  readonly #service = fastify({ forceCloseConnections: true });
  #last: ProgressView | undefined;

  private constructor(page: string) {
    // A page of another origin that has its name resolve to here must learn nothing.
    this.#service.addHook('onRequest', async (request, reply) => {
      if (![loopback, 'localhost'].includes(request.hostname)) await reply.code(403).send();
    });
    this.#service.get('/', (_request, reply) => reply.type('text/html; charset=utf-8').send(page));
    this.#service.get('/events', (_request, reply) => {
      reply.hijack();
      this.#admit(reply.raw);
    });
  }

  /** Opens the page of a run of so many shards, and says on stderr where. Throws `ProblemError` where the port is taken. */
  static async open(watchPort: number, title: string, shards: number): Promise<WatchPage> {
    const page = new WatchPage(renderLivePage(title, shards, await pageAssets()));
    await page.#service.listen({ host: loopback, port: watchPort }).catch((error: NodeJS.ErrnoException) => {
      throw new ProblemError([
        problem(
          'portInUse',
          `--watch-port: ${loopback}:${watchPort}: ${error.message}`,
          'Choose another --watch-port, or 0 for any free one.',
        ),
      ]);
    });
    const { port } = page.#service.server.address() as AddressInfo;
    process.stderr.write(`watch it on http://${loopback}:${port}/\n`);
    return page;
  }

  show(view: ProgressView): void {
    this.#last = view;
    const point = this.#history.take(view);
    for (const reader of this.#readers) {
      tell(reader, 'view', view);
      if (point) tell(reader, 'points', [point]);
    }
  }

  /** Turns every open page into the report, or has it say why there is none, and ends the server. */
  async end(words: string, report?: () => Promise<string>): Promise<void> {
    try {
      if (report)
        for (const reader of this.#readers) tell(reader, 'over', { words: `${words} The report is being made.` });
      const html = this.#readers.size > 0 ? ((await report?.()) ?? null) : null;
      await this.#dismiss({ words, html });
    } finally {
      await this.#service.close();
    }
  }

  /** The last that every reader is told. */
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

function tell(reader: ServerResponse, event: string, data: unknown): void {
  if (!reader.destroyed) reader.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
}
