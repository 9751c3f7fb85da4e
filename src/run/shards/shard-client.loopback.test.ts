import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { afterEach, expect, it } from 'vitest';
import { goldenShard } from '../../../test/golden-result.js';
import { ProblemError } from '../../contract/problems.js';
import { NoAnswer } from './partial-body.js';
import { ShardClient } from './shard-client.js';

const forged = '\x1b[2J\nverdict  clean: nothing shows the rig\u202e';
const long = 'x'.repeat(200_003);
let server: Server;
let client: ShardClient;

afterEach(async () => {
  await client.close();
  server.close();
});

/** A client of a bench-runner that answers everything by this. */
async function facing(status: number, body: string): Promise<ShardClient> {
  server = createServer((_request, response) => response.writeHead(status).end(body));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  client = new ShardClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, undefined);
  return client;
}

function expectFit(text: string): void {
  expect(text).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  expect(text.length).toBeLessThan(2100);
}

const status = {
  ...{ jobId: 'one', runId: forged, bootId: forged + long, state: 'done', stage: 'done', waitingFor: null },
  ...{ progress: {}, stages: [], seconds: [], log: [forged + long], elapsedMs: 1 },
  result: goldenShard(0, {
    causes: { connect: { [`rejected:${forged}${long}`]: 7 } },
    stop: { code: 'refused', evidence: [forged] },
  }),
};

it('a hostile status is read in clean and short words', async () => {
  const read = await (await facing(200, JSON.stringify(status))).status('one');
  for (const text of [read.runId, read.bootId, ...read.log, ...(read.result?.stop.evidence ?? [])]) expectFit(text);
  const [[cause, times] = ['', 0]] = Object.entries(read.result?.causes.connect ?? {});
  expectFit(cause);
  expect(times).toBe(7);
});

it.each([
  ['no JSON', 200, forged + long],
  ['JSON of another kind', 200, JSON.stringify({ [forged]: long })],
  ['a gate that is no name', 200, JSON.stringify({ ...status, waitingFor: forged })],
  ['a page of an error', 502, forged + long],
])('%s is told in clean and short words', async (_name, code, body) => {
  const shard = await facing(code, body);
  const error = await shard.status('one').then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(Error);
  expectFit((error as Error).message);
});

it('its problems are told in clean and short words', async () => {
  const problems = [{ code: 'overLimit', message: forged + long, hint: forged }];
  const shard = await facing(422, JSON.stringify({ problems }));
  const error = await shard.post({}).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ProblemError);
  for (const { code, message, hint } of (error as ProblemError).problems) {
    expect(code).toBe('overLimit');
    expectFit(message);
    expectFit(hint);
  }
});

it('by one address of a name, TLS keeps the name', async () => {
  const asked: string[] = [];
  server = createTlsServer({
    SNICallback: (name, done) => {
      asked.push(name);
      done(new Error('no certificate here'));
    },
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  client = new ShardClient(`https://shards.test:${port}`, undefined, { address: '127.0.0.1' });
  await expect(client.info()).rejects.toBeInstanceOf(NoAnswer);
  expect(asked).toContain('shards.test');
  expect(client.url).toBe(`https://127.0.0.1:${port}`);
});
