import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { goldenShard } from '../../../test/golden-result.js';
import { scenarioCalled } from '../../../test/scenarios.js';
import { digestOf } from '../../contract/job.js';
import { ProblemError } from '../../contract/problems.js';
import type { ShardInfo } from '../../contract/shard.js';
import { encodeSamples } from '../../measure/samples/encoding.js';
import type { Samples } from '../../measure/samples/samples.js';
import { partOfBody } from '../../runner/http.js';
import { stopOf } from '../judge/assess.js';
import { collect, release } from './collect.js';
import { Member } from './member.js';
import { partFrom } from './partial-body.js';
import { ShardClient } from './shard-client.js';

const scenario = scenarioCalled('latency');
// Spread out so far that it does not deflate.
const values = Uint32Array.from({ length: 100_003 }, (_, at) => at * 40_009 + ((at * at * 7919) % 40_009)).sort();
const samples: Samples = { kind: 'raw', values };
const body = await encodeSamples(samples);

const servers: Server[] = [];
const clients: ShardClient[] = [];

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  for (const server of servers.splice(0)) server.close();
});

/** What a server saw: the first byte of each answer with samples, how many it gave, how often all was fetched. */
interface Served {
  from: number[];
  bytes: number;
  collected: number;
  asked: EventEmitter;
}

type Answer = (response: ServerResponse, request: IncomingMessage, served: Served) => void;

/** A shard that is done, behind a real server that gives the one body of its samples. */
async function shard(answer: Answer, index = 0, leaseMs = 30_000): Promise<{ member: Member; served: Served }> {
  const served: Served = { from: [], bytes: 0, collected: 0, asked: new EventEmitter() };
  const server = createServer((request, response) => {
    if (request.url?.includes('/samples/')) return answer(response, request, served);
    if (request.url?.endsWith('/collected')) served.collected++;
    if (request.method === 'GET') served.asked.emit('status');
    response.end(request.method === 'GET' ? JSON.stringify(member.status) : '{}');
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = new ShardClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, undefined);
  clients.push(client);
  // A first answer tells the client its URL.
  await client.collected('job');
  const member = new Member(client, {} as ShardInfo, 'job', leaseMs);
  const result = goldenShard(index, {
    samples: { delivery: { kind: 'raw', count: values.length } },
    series: [],
    digests: { delivery: digestOf(body) },
  });
  member.status = {
    ...{ jobId: 'job', runId: '7b39ba6e', bootId: '49ac5d31', state: 'done', stage: 'done', waitingFor: null },
    ...{ progress: {}, stages: [], seconds: [], log: [], elapsedMs: 7, result },
  };
  return { member, served };
}

/** Gives the asked part, and cuts the connection behind so many bytes. */
function give(whole: Uint8Array, atMost: number): Answer {
  return (response, request, served) => {
    const { status, headers, part } = partOfBody(whole, request.headers.range);
    const given = part.subarray(0, atMost);
    served.from.push(partFrom(headers['content-range']) ?? 0);
    served.bytes += given.length;
    response.writeHead(status, { ...headers, 'content-length': part.length });
    if (given.length === part.length) response.end(given);
    else response.write(given, () => response.destroy());
  };
}

const flipped = body.map((byte, at) => (at === Math.floor(body.length / 2) ? byte ^ 0x04 : byte));

it('a body that is cut again and again comes whole, and no byte of it twice', async () => {
  const seventh = Math.ceil(body.length / 7);
  const { member, served } = await shard(give(body, seventh));
  const collected = await collect(scenario, [member], 0);
  expect(collected.samples.delivery).toEqual(samples);
  // Seven parts, each from where the one before it ended.
  expect(served.from).toEqual([0, 1, 2, 3, 4, 5, 6].map((parts) => parts * seventh));
  expect(served.bytes).toBe(body.length);
  expect(member.lost).toBeUndefined();
});

it('a way that knows no ranges begins anew, and is not put together wrongly', async () => {
  let answers = 0;
  const { member, served } = await shard((response, request, told) => {
    delete request.headers.range;
    give(body, answers++ < 2 ? 10_007 : body.length)(response, request, told);
  });
  expect(Buffer.compare(await member.samples('delivery'), body)).toBe(0);
  expect(served.from).toEqual([0, 0, 0]);
});

it('a part that was not asked for is no part of the body', async () => {
  let answers = 0;
  const { member } = await shard((response, request, told) => {
    if (answers++ === 1) request.headers.range = 'bytes=7-';
    give(body, answers === 1 ? 10_007 : body.length)(response, request, told);
  });
  expect(Buffer.compare(await member.samples('delivery'), body)).toBe(0);
  expect(answers).toBe(3);
});

it('a body that was damaged once is fetched again', async () => {
  let answers = 0;
  const { member, served } = await shard((...all) => give(answers++ === 0 ? flipped : body, body.length)(...all));
  expect(Buffer.compare(await member.samples('delivery'), body)).toBe(0);
  expect(served.from).toEqual([0, 0]);
});

it('a shard whose body is damaged each time is lost by a fault of its own, and is in no figure', async () => {
  const honest = await shard(give(body, body.length));
  const damaged = await shard(give(flipped, body.length), 1);
  const error = await damaged.member.samples('delivery').catch((reason: unknown) => reason);
  expect((error as ProblemError).problems.map(({ code }) => code)).toEqual(['samplesDamaged']);
  expect(error).toBeInstanceOf(ProblemError);
  expect(damaged.served.from).toEqual([0, 0, 0]);
  const collected = await collect(scenario, [honest.member, damaged.member], 0);
  expect(collected.samples.delivery).toEqual(samples);
  expect(collected.parts).toMatchObject([{ state: 'complete' }, { state: 'lost', fault: 'samplesDamaged' }]);
  expect(stopOf(scenario, undefined, collected, {}, []).code).toBe('samplesDamaged');
  // It stays on its shard: beside the first question of every test, only the other may forget the run.
  await release([honest.member, damaged.member]);
  expect([honest, damaged].map(({ served }) => served.collected)).toEqual([2, 1]);
});

it('a few shards are read at a time, and all of them in the end', async () => {
  let [open, most] = [0, 0];
  const slowly: Answer = (response, request, told) => {
    most = Math.max(most, ++open);
    setTimeout(() => {
      open--;
      give(body, body.length)(response, request, told);
    }, 31);
  };
  const shards = await Promise.all(Array.from({ length: 23 }, (_, index) => shard(slowly, index)));
  const collected = await collect(
    scenario,
    shards.map(({ member }) => member),
    0,
  );
  expect(collected.parts.map(({ state }) => state)).toEqual(new Array(23).fill('complete'));
  expect(most).toBe(8);
  const { delivery } = collected.samples;
  expect(delivery?.kind === 'raw' && delivery.values.length).toBe(23 * values.length);
});

it('each shard keeps its lease: one that waits for its turn, and one whose samples come slowly', async () => {
  // No samples come until each was asked how it is.
  const shards: Awaited<ReturnType<typeof shard>>[] = [];
  let areAsked: Promise<unknown> | undefined;
  const slowly: Answer = async (...all) => {
    areAsked ??= Promise.all(shards.map(({ served: { asked } }) => once(asked, 'status')));
    await areAsked;
    give(body, body.length)(...all);
  };
  for (let index = 0; index < 11; index++) shards.push(await shard(slowly, index, 3000));
  const collected = await collect(
    scenario,
    shards.map(({ member }) => member),
    0,
  );
  expect(collected.parts.map(({ state }) => state)).toEqual(new Array(11).fill('complete'));
});
