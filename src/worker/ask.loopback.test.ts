import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadOptions } from '../scenarios/load-options.js';
import { HttpAsk } from './ask.js';

const asked: string[] = [];
const server = createServer(({ method, url }, response) => {
  asked.push(`${method} ${url}`);
  response.statusCode = url === '/full' ? 503 : 200;
  response.end(url === '/long' ? 'x'.repeat(100_000) : '{"room":"g7","seat":3}');
});
let origin = '';

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => server.close());

const askOf = (publishUrl: string): HttpAsk => {
  const target = { publishUrl } as ConstructorParameters<typeof HttpAsk>[0]['target'];
  return new HttpAsk({ target, load: loadOptions.parse({}) });
};

it('posts to a path beside that of publishes, and gives the text or why there is none', async () => {
  const http = askOf(`${origin}/_broadcast`);
  expect(await http.ask('/api/pvp/matchmake')).toEqual({ text: '{"room":"g7","seat":3}' });
  expect(await http.ask('/full')).toEqual({ cause: 'http-status:503' });
  expect(asked).toEqual(['POST /api/pvp/matchmake', 'POST /full']);
  await http.close();
  expect(await http.ask('/')).toEqual({ cause: 'ours' });
});

it('keeps no more of an answer than it needs', async () => {
  const http = askOf(`${origin}/_broadcast`);
  const answer = await http.ask('/long');
  expect('text' in answer && answer.text.length).toBe(4096);
  await http.close();
});

it('says why nobody answers', async () => {
  const http = askOf('http://127.0.0.1:1/_broadcast');
  expect(await http.ask('/')).toEqual({ cause: 'connect-refused' });
  await http.close();
});
