import { connect } from 'node:net';
import { expect, it, vi } from 'vitest';
import { WatchPage } from './watch-page.js';

/** Reads a page's events as fast as they come. */
class Reader {
  readonly #body: ReadableStreamDefaultReader<Uint8Array>;
  #text = '';
  #views = 0;

  constructor(answer: Response) {
    this.#body = answer.body!.getReader();
  }

  /** Reads on until so many views have come, or to the end; gives how many came. */
  async until(views: number): Promise<number> {
    while (this.#views < views) {
      const { value, done } = await this.#body.read();
      if (done) break;
      this.#text += Buffer.from(value).toString();
      const parts = this.#text.split('event: view\n');
      this.#views += parts.length - 1;
      this.#text = (parts.at(-1) ?? '').slice(-200);
    }
    return this.#views;
  }

  get rest(): string {
    return this.#text;
  }
}

it('the page of a run waits for no reader that has stopped reading, and goes on for the others', async () => {
  const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const page = await WatchPage.open(0, 'a run', 1, undefined);
  const [, url = ''] = /(http:\S+)\n/.exec(String(said.mock.calls[0]?.[0])) ?? [];
  said.mockRestore();
  const figures = Object.fromEntries(Array.from({ length: 9001 }, (_, n) => [`figure ${n}`, n]));
  const view = { stage: 'publish', elapsedMs: 0, plannedMs: 1, figures, gauges: {}, shards: [] };
  const show = () => page.show({ ...view, percentiles: null, loadAtMs: null, stages: [], seconds: [] });
  // An answer begins with the last view that there is.
  show();
  const reader = new Reader(await fetch(`${url}events`));
  const stuck = connect(Number(new URL(url).port), '127.0.0.1');
  stuck.write(`GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
  const looks = 211;
  for (let n = 1; n <= looks; n++) {
    expect(await reader.until(n)).toBe(n);
    if (n < looks) show();
  }
  const end = page.end('It is over.');
  expect(await reader.until(Number.POSITIVE_INFINITY)).toBe(looks);
  expect(reader.rest).toContain('event: end');
  await end;
  let [bytes, text] = [0, ''];
  for await (const chunk of stuck) {
    bytes += (chunk as Buffer).length;
    text = (text + String(chunk)).slice(-1000);
  }
  expect(text).not.toContain('event: end');
  expect(bytes).toBeLessThan((looks * JSON.stringify(figures).length) / 2);
});
