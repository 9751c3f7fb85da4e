import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { HttpPublish, publishInProcess } from './publish.js';

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

function jobOf(publishUrl: string, publishTimeoutMs = 86_399_993) {
  const load = { maxInFlight: 3, publishTimeoutMs, localAddresses: [], isInsecure: false };
  const told = { publishUrl, furtherPublishUrls: [], publishHeaders: {} };
  return { stream: 'ring', load, target: told } as unknown as ConstructorParameters<typeof HttpPublish>[0];
}

function publisher(publishUrl: string, publishTimeoutMs?: number): HttpPublish {
  const http = new HttpPublish(jobOf(publishUrl, publishTimeoutMs));
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
  const batches = publishInProcess(jobOf(url), url);
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

describe('answers as a target writes them', () => {
  const early = 'HTTP/1.1 103 Early Hints\r\nlink: </a>; rel=preload\r\n\r\n';
  const created = 'HTTP/1.1 201 Created\r\ncontent-length: 2\r\n\r\nok';
  const more = 'HTTP/1.1 100 Continue\r\n\r\n';

  /** A target that answers each request of a connection by `answer`; the connections that it took. */
  async function raw(answer: (socket: net.Socket) => void): Promise<{ url: string; taken: net.Socket[] }> {
    const taken: net.Socket[] = [];
    const server = net.createServer((socket) => {
      taken.push(socket.setNoDelay(true));
      // A publish of this test is small enough for one read.
      socket.on('error', () => socket.destroy()).on('data', () => answer(socket));
    });
    opened.push({
      close() {
        for (const socket of taken) socket.destroy();
        server.close();
      },
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/_publish`, taken };
  }

  /** Writes a text in pieces, each of which is a read of its own as far as the kernel lets it. */
  async function inPieces(socket: net.Socket, text: string, bytes: number): Promise<void> {
    for (let at = 0; at < text.length && socket.writable; at += bytes) {
      socket.write(text.slice(at, at + bytes), 'latin1');
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }

  it.each([
    ['100', more],
    ['100 without a reason', 'HTTP/1.1 100\r\n\r\n'],
    ['103', early],
    ['100, 102 and 103', `${more}HTTP/1.1 102 Processing\r\n\r\n${early}`],
  ])('the answer behind an interim one of %s counts, once, whole or in pieces', async (_name, interim) => {
    for (const bytes of [100_003, 7, interim.length]) {
      const { url, taken } = await raw((socket) => void inPieces(socket, `${interim}${created}`, bytes));
      const http = publisher(url);
      const answers: number[] = [];
      for (let n = 0; n < 3; n++)
        expect(await http.publish('payload', { answered: () => void answers.push(n) })).toBe(201);
      expect([answers, taken.filter(({ destroyed }) => destroyed)]).toEqual([[0, 1, 2], []]);
    }
  });

  it('a batch that the target publishes by itself may have interim answers, too', async () => {
    const body = '{"published":1,"tookMs":0}';
    const { url } = await raw((socket) =>
      socket.write(`${more}${early}HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`),
    );
    const batches = publishInProcess(jobOf(url), url);
    opened.push(batches);
    expect(await batches.publish(['one'], 1000)).toEqual({ tookMs: 0 });
  });

  it('a refusal behind an interim answer is one', async () => {
    const { url } = await raw((socket) => socket.write(`${early}HTTP/1.1 503 Busy\r\ncontent-length: 0\r\n\r\n`));
    expect(await publisher(url).publish('payload')).toBe(503);
  });

  it('interim answers without end are awaited no longer than any other', async () => {
    const { url } = await raw((socket) => {
      const flood = setInterval(() => socket.write(early.repeat(17)), 1);
      socket.on('close', () => clearInterval(flood));
    });
    expect(await publisher(url, 211).publish('payload')).toBe('answer-timeout');
  });

  it('an interim answer that never ends is not kept', async () => {
    const { url } = await raw((socket) => {
      socket.write(early.slice(0, -2));
      const flood = setInterval(() => socket.write('x: y\r\n'.repeat(997)), 1);
      socket.on('close', () => clearInterval(flood));
    });
    expect(await publisher(url).publish('payload')).toBe('network:UND_ERR_HEADERS_OVERFLOW');
  });

  it('a connection that ends behind an interim answer gave none', async () => {
    const { url } = await raw((socket) => socket.end(early));
    expect(await publisher(url).publish('payload')).toBe('reset');
  });
});
