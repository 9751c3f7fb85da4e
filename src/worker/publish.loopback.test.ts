import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { HttpPublish } from './publish.js';
import { InProcessPublish } from './publish-in-process.js';

const opened: { close(): unknown }[] = [];

afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.close();
});

async function target(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server: Server = createServer(answer).listen(0, '127.0.0.1');
  opened.push(server);
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/_publish`;
}

function jobOf(publishUrl: string) {
  const load = { maxInFlight: 3, publishTimeoutMs: 5000, localAddresses: [], isInsecure: false };
  const told = { publishUrl, furtherPublishUrls: [], publishHeaders: {} };
  return { stream: 'ring', load, target: told } as unknown as ConstructorParameters<typeof HttpPublish>[0];
}

function publisher(publishUrl: string): HttpPublish {
  const http = new HttpPublish(jobOf(publishUrl));
  opened.push(http);
  return http;
}

/** What happens to a publish, in order, each with what the target had by then. */
function followed(steps: string[]) {
  return { sent: () => void steps.push('sent'), written: () => void steps.push('written') };
}

it('tells when a publish goes to the socket and when the kernel has it, before any answer', async () => {
  const http = publisher(await target((request, response) => request.resume().on('end', () => response.end())));
  // The first opens a connection, the second finds it open.
  for (let n = 0; n < 2; n++) {
    const steps: string[] = [];
    const answer = await http.publish('payload', followed(steps)).then((status) => steps.push(String(status)));
    expect([steps, answer]).toEqual([['sent', 'written', '200'], 3]);
  }
});

it('keeps publishes apart that are under way together, and other requests out', async () => {
  const url = await target((request, response) =>
    request.resume().on('end', () => response.end('{"published":1,"tookMs":0}')),
  );
  const http = publisher(url);
  const batches = new InProcessPublish(jobOf(url), url);
  opened.push(batches);
  const all = Array.from({ length: 7 }, (): string[] => []);
  const left = all.map((steps) => http.publish('payload', followed(steps)));
  await Promise.all([...left, batches.publish(['one'], 1000)]);
  expect(all).toEqual(Array(7).fill(['sent', 'written']));
});

it('tells of no write while a target takes only a part of the publish', async () => {
  const steps: string[] = [];
  const http = publisher(await target(() => undefined));
  const answer = http.publish('x'.repeat(64 * 2 ** 20), followed(steps));
  await expect.poll(() => steps.length, { timeout: 30_000 }).toBeGreaterThan(0);
  await http.close();
  expect([await answer, steps]).toEqual(['ours', ['sent']]);
});

it('publishes several in one request where every address takes that, each in its turn', async () => {
  const seen: string[] = [];
  const url = await target((request, response) => {
    seen.push(`${request.url}`.split('?', 1)[0]!);
    request.resume().on('end', () => response.end('{}'));
  });
  const { load } = jobOf(url);
  const toAll = (...paths: string[]): HttpPublish => {
    const [publishUrl = '', ...furtherPublishUrls] = paths.map((path) => new URL(path, url).href);
    const pusher = { stream: 'ring', load, protocol: 'pusher', protocolOptions: {} };
    const http = new HttpPublish({
      ...pusher,
      target: { wsUrls: [], publishUrl, furtherPublishUrls, publishHeaders: {} },
    });
    opened.push(http);
    return http;
  };
  const { together } = toAll('/apps/7/events', '/apps/11/events');
  expect(together?.most).toBe(10);
  for (let n = 0; n < 3; n++) expect(await together?.publish(['1', '2'])).toBe(200);
  expect(seen).toEqual(['/apps/7/batch_events', '/apps/11/batch_events', '/apps/7/batch_events']);
  expect([toAll('/apps/7/events', '/_broadcast').together, publisher(url).together]).toEqual([undefined, undefined]);
});

it('tells of nothing where nobody listens', async () => {
  const steps: string[] = [];
  const url = await target(() => undefined);
  await opened.splice(0)[0]?.close();
  expect([await publisher(url).publish('payload', followed(steps)), steps]).toEqual(['connect-refused', []]);
});
