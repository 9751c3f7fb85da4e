import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import fastify from 'fastify';
import { pageAssets } from '../../commands/report/page.js';
import { problemError } from '../../contract/problems.js';
import { type LiveRun, renderLivePage } from '../../render/html/live.js';
import type { Assets } from '../../render/html/runs.js';
import type { ProgressView } from '../../results/progress.js';
import { pageFault } from '../../runner/allow-list.js';

const loopback = '127.0.0.1';
const reloadEveryMs = 2000;
/** A page that did not ask for this long is closed. At the end, the command waits as long for open pages. */
const patienceMs = 2 * reloadEveryMs;
/** This is more points than a screen has columns. Above it, each point covers twice the time. */
const mostSeconds = 2000;

/** Serves a page on the loopback that shows a run live, reloads itself, and becomes the report. */
export class WatchPage {
  readonly #run: { -readonly [Name in keyof LiveRun]: LiveRun[Name] };
  readonly #service = fastify({ forceCloseConnections: true });
  readonly #assets: Assets;
  #askedAtMs: number[] = [];
  #report: string | undefined;
  #reportsRead = 0;
  #every = 1;
  #taken = 0;

  private constructor(title: string, metric: string | undefined, assets: Assets) {
    this.#run = { title, metric, view: undefined, seconds: [], over: undefined };
    this.#assets = assets;
    this.#service.addHook('onRequest', async (request, reply) => {
      if (pageFault(request) !== undefined) await reply.code(403).send();
    });
    this.#service.get('/', (_request, reply) => {
      this.#askedAtMs.push(performance.now());
      if (this.#report === undefined) reply.header('refresh', String(reloadEveryMs / 1000));
      else reply.raw.once('close', () => this.#reportsRead++);
      const page = this.#report ?? renderLivePage(this.#run, this.#assets);
      return reply.type('text/html; charset=utf-8').header('cache-control', 'no-store').send(page);
    });
  }

  /** Opens the page. It shows the percentiles of `metric`. Throws `ProblemError` if the port is taken. */
  static async open(watchPort: number, title: string, metric: string | undefined): Promise<WatchPage> {
    const page = new WatchPage(title, metric, await pageAssets());
    await page.#service.listen({ host: loopback, port: watchPort }).catch((error: NodeJS.ErrnoException) => {
      const hint = 'Choose another --watch-port, or 0 for any free one.';
      throw problemError('portInUse', `--watch-port: ${loopback}:${watchPort}: ${error.message}`, hint);
    });
    const { port } = page.#service.server.address() as AddressInfo;
    process.stderr.write(`watch it on http://${loopback}:${port}/\n`);
    return page;
  }

  show({ seconds, ...view }: ProgressView): void {
    const { loadAtMs } = view;
    this.#run.view = view;
    const ofLoad = seconds.filter(({ atMs, isPart }) => !isPart && loadAtMs !== null && atMs > loadAtMs);
    const kept = [...this.#run.seconds, ...ofLoad.filter(() => this.#taken++ % this.#every === 0)];
    if (kept.length > mostSeconds) this.#every *= 2;
    this.#run.seconds = kept.length > mostSeconds ? kept.filter((_, index) => index % 2 === 0) : kept;
  }

  /** Turns open pages into the report and ends the server. Then rejects if the report could not be made. */
  async end(words: string, report?: () => Promise<string>): Promise<void> {
    try {
      this.#run.over = report ? `${words} The report is being made.` : words;
      if (this.#openPages() === 0) return;
      const making = report?.();
      this.#report = await making?.catch((error: unknown) => {
        this.#run.over = `${words} No report: ${error instanceof Error ? error.message : String(error)}`;
        return renderLivePage(this.#run, this.#assets);
      });
      this.#report ??= renderLivePage(this.#run, this.#assets);
      const pages = this.#openPages();
      const untilMs = performance.now() + patienceMs;
      while (this.#reportsRead < pages && performance.now() < untilMs) await delay(50);
      await making;
    } finally {
      await this.#service.close();
    }
  }

  #openPages(): number {
    const sinceMs = performance.now() - patienceMs;
    const recent = this.#askedAtMs.filter((atMs) => atMs > sinceMs);
    this.#askedAtMs = recent;
    return Math.ceil((recent.length * reloadEveryMs) / patienceMs);
  }
}
