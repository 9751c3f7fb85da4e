import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createHttps } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { Certificates, canCertify } from '../../../test/https-front.js';
import type { HttpOptions } from '../api.js';
import { Waits } from '../client/waits.js';
import { FlowHttp, HttpOutlet, type OutletMeans } from './http.js';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

type Handler = (request: IncomingMessage, response: ServerResponse, body: string) => void;

async function listening(answer: Handler): Promise<Server> {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => answer(request, response, body));
  });
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/** A client of a server with this answer, or of the address `at`. `timed` has name and cause of each request. */
async function client(answer: Handler, means: Partial<OutletMeans> = {}) {
  const { port } = (await listening(answer)).address() as AddressInfo;
  const timed: string[][] = [];
  const outlet = new HttpOutlet({
    target: new URL(`ws://127.0.0.1:${port}/cable`),
    reach: { localAddresses: [], isInsecure: false },
    ...{ connections: 7, connectTimeoutMs: 5000, withinMs: 60_000 },
    timed(name, us, cause) {
      expect(us).toBeGreaterThan(0);
      timed.push(cause === undefined ? [name] : [name, cause]);
    },
    ...means,
  });
  closing.push(() => outlet.close());
  const end = new AbortController();
  let resumed = 0;
  const waits = new Waits(end.signal, () => resumed++);
  const another = () => new FlowHttp(outlet, waits);
  return { http: another(), another, timed, end, outlet, resumed: () => resumed, port };
}

/** Answers with what came. */
const echo: Handler = ({ method, url, headers }, response, body) => {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ method, url, type: headers['content-type'], x: headers['x-own'], body }));
};

describe('a request', () => {
  it('goes to the HTTP side of the target, and is timed by method and path', async () => {
    const { http, timed, resumed } = await client(echo);
    expect(await http.get('/api/rooms/7?full=1').json()).toMatchObject({ method: 'GET', url: '/api/rooms/7?full=1' });
    expect(await http.get('/').text()).toContain('"url":"/"');
    await http.get('/slow/one', { name: 'login' });
    expect(timed).toEqual([['GET api.rooms.7'], ['GET'], ['login']]);
    expect(resumed()).toBe(3);
  });

  it('carries JSON, forms, text and bytes with their types, and headers', async () => {
    const { http } = await client(echo);
    const sent = async (body: unknown, options?: HttpOptions) => {
      const { type, body: came, x } = await http.post('/', body, options).json();
      return [type?.split(';')[0], came, ...(x === undefined ? [] : [x])];
    };
    expect(await sent({ a: 1 }, { headers: { 'X-Own': 'yes' } })).toEqual(['application/json', '{"a":1}', 'yes']);
    expect(await sent(new URLSearchParams({ a: '1 &' }))).toEqual(['application/x-www-form-urlencoded', 'a=1+%26']);
    expect(await sent('text', { headers: { 'Content-Type': 'text/x' } })).toEqual(['text/x', 'text']);
    expect(await sent(Buffer.from('bytes'))).toEqual(['application/octet-stream', 'bytes']);
    expect(await sent(undefined)).toEqual([undefined, '']);
  });

  it('is answered by a response with status, headers and body', async () => {
    const { http } = await client((_request, response) => {
      response.writeHead(201, { 'set-cookie': ['a=1', 'b=2'], 'x-room': '7' }).end('ä');
    });
    const response = await http.post('/');
    expect([response.status, response.headers.get('x-room'), await response.text()]).toEqual([201, '7', 'ä']);
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
  });

  it('may have an answer without a body', async () => {
    const { http } = await client((_request, response) => response.writeHead(204).end());
    expect((await http.get('/')).status).toBe(204);
  });

  it('may be wrong, and says what is expected', async () => {
    const { http, timed } = await client(echo);
    const wrong: [string, unknown, HttpOptions, RegExp][] = [
      ['ftp://a.example/', undefined, {}, /^me\.http\.post: expected a path or an http:\/\/ address/],
      ['/', new FormData(), {}, /received \[object FormData\]$/],
      ['/', () => 7, {}, /expected a body of text, bytes, URLSearchParams or JSON/],
      ['/', 7, { headers: { 'a b': 'c' } }, /expected a header name/],
      ['/', 7, { within: 'soon' as '1s' }, /^me\.http\.post: within: expected a time/],
    ];
    for (const [path, body, options, message] of wrong)
      await expect(http.post(path, body, options).text()).rejects.toThrow(message);
    expect(timed).toEqual([]);
  });
});

describe('a client', () => {
  const login: Handler = ({ url, headers }, response) => {
    if (url === '/login') response.setHeader('set-cookie', 'id=7; Path=/; HttpOnly');
    response.end(headers.cookie ?? 'none');
  };

  it('keeps its cookies, for requests and WebSockets, and shares none', async () => {
    const { http, another, port } = await client(login);
    expect(await http.get('/login').text()).toBe('none');
    expect(await http.get('/room').text()).toBe('id=7');
    expect(http.cookiesFor(new URL(`ws://127.0.0.1:${port}/cable`))).toBe('id=7');
    expect(http.cookiesFor(new URL('ws://127.0.0.2/cable'))).toBeUndefined();
    expect(await another().get('/room').text()).toBe('none');
  });

  it('keeps the cookie of an answer that it does not expect', async () => {
    const { http } = await client((request, response) => {
      response.statusCode = 401;
      login(request, response, '');
    });
    await expect(http.get('/login').text()).rejects.toMatchObject({ cause: 'http-status:401' });
    expect(await http.get('/room', { expect: 401 }).text()).toBe('id=7');
  });

  it('shares bounded connections with the others', async () => {
    const ports = new Set<number | undefined>();
    const { another } = await client(
      ({ socket }, response) => {
        ports.add(socket.remotePort);
        response.end();
      },
      { connections: 2 },
    );
    await Promise.all(Array.from({ length: 29 }, () => another().get('/').text()));
    expect(ports.size).toBeLessThanOrEqual(2);
  });
});

describe('a request that fails rejects with the cause', () => {
  const failing = async (answer: Handler, options: HttpOptions = {}, means: Partial<OutletMeans> = {}) => {
    const { http, timed } = await client(answer, means);
    const failed = await http.get('/', { name: 'it', ...options }).then(
      () => undefined,
      (error) => error,
    );
    expect(timed).toEqual([['it', failed.cause]]);
    expect(failed.name).toBe('Left');
    return failed.cause;
  };

  it.each([
    [503, undefined, 'http-status:503'],
    [400, undefined, 'http-status:400'],
    [200, 201, 'http-status:200'],
    [302, [200, 201], 'http-status:302'],
  ])('of status %i where %j is expected', async (status, expected, cause) => {
    const answer: Handler = (_request, response) => response.writeHead(status).end();
    expect(await failing(answer, expected === undefined ? {} : { expect: expected })).toBe(cause);
  });

  it('of an answer that does not come in time', async () => {
    expect(await failing(() => undefined, { within: 50 })).toBe('answer-timeout');
    expect(await failing((_request, response) => response.write('a'), {}, { withinMs: 50 })).toBe('answer-timeout');
  });

  it('of a connection that breaks', async () => {
    expect(await failing(({ socket }) => socket.resetAndDestroy())).toBe('reset');
  });

  it('of a server that is gone', async () => {
    const server = await listening(() => undefined);
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    expect(await failing(echo, {}, { target: new URL(`ws://127.0.0.1:${port}`) })).toBe('connect-refused');
  });
});

it('a request rejects when the load ends, also while it waits for a connection', async () => {
  const { http, end, timed } = await client(() => end.abort(), { connections: 1 });
  const all = ['a', 'b'].map((name) => http.get('/', { name }).text());
  const causes = (await Promise.allSettled(all)).map((each) => each.status === 'rejected' && each.reason.cause);
  expect(causes).toEqual(['ended', 'ended']);
  expect(timed).toEqual([
    ['a', 'ended'],
    ['b', 'ended'],
  ]);
});

it('an answer that is no JSON says what came', async () => {
  const { http } = await client((_request, response) => response.end('<html>\u001b[31m'));
  await expect(http.get('/').json()).rejects.toMatchObject({
    cause: 'not-json',
    message: 'expected JSON, received status 200 and <html>',
  });
});

// Needs openssl: `apt-get install openssl`.
it.skipIf(!canCertify)('a request to wss:// goes over TLS, to a server that is trusted', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'flow-tls-'));
  closing.push(() => rmSync(folder, { recursive: true }));
  const certificates = new Certificates(folder);
  const server = createHttps(certificates.of('server'), (_request, response) => response.end('secret'));
  closing.push(() => server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const target = new URL(`wss://127.0.0.1:${(server.address() as AddressInfo).port}/cable`);
  const asking = async (reach: Partial<OutletMeans['reach']>) => {
    const { http } = await client(echo, { target, reach: { localAddresses: [], isInsecure: false, ...reach } });
    return http.get('/').text();
  };
  expect(await asking({ caPem: readFileSync(certificates.path('ca.pem'), 'utf8') })).toBe('secret');
  expect(await asking({ isInsecure: true })).toBe('secret');
  await expect(asking({})).rejects.toMatchObject({ cause: expect.stringMatching(/^tls:/) });
});
