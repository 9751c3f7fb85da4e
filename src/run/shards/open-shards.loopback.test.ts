import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { naming } from '../../../test/refusal.js';
import { runnerOptions } from '../../runner/allow-list.js';
import { createService } from '../../runner/http.js';
import { createIdentity } from '../../runner/shard-self.js';
import { EngineCommands } from '../engines/engine-commands.js';
import { type ShardOptions, shardOptions } from '../plan/run-options.js';
import { type LookupAll, openShards } from './open-shards.js';
import type { ShardClient } from './shard-client.js';

/** A bench-runner without one answers under no name but that of loopback. */
const token = 'prime-7919';
const engine = new EngineCommands({}, () => undefined);
const services: FastifyInstance[] = [];
const opened: ShardClient[] = [];
let notes: string[] = [];
let ending = new AbortController();
let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ringside-ready-'));
  [notes, ending] = [[], new AbortController()];
});

afterEach(async () => {
  rmSync(folder, { recursive: true });
  await Promise.all(opened.splice(0).map((client) => client.close()));
  await Promise.all(services.splice(0).map((service) => service.close()));
});

/** A bench-runner in this process. */
async function serve(host = '127.0.0.1', port = 0, expected?: string): Promise<number> {
  const { service } = createService(runnerOptions.parse({ token: expected }), createIdentity());
  services.push(service);
  await service.listen({ host, port });
  return (service.server.address() as AddressInfo).port;
}

/** The URLs of the shards; `noted` sees each line. */
async function open(asked: Partial<ShardOptions>, noted: () => void = () => undefined, resolve?: LookupAll) {
  const note = (line: string): void => {
    notes.push(line);
    noted();
  };
  const context = { note, noteEveryMs: 0, interrupt: () => ending.signal };
  const clients = await openShards({ ...shardOptions.parse({}), ...asked }, engine, context, resolve);
  opened.push(...clients);
  return clients.map(({ url }) => url);
}

describe.runIf(process.platform === 'linux')('every address of a name', () => {
  it('is a shard that answers', async () => {
    const port = await serve('127.0.0.2', 0, token);
    await serve('127.0.0.1', port, token);
    const both: LookupAll = async () => ['127.0.0.2', '127.0.0.1'].map((address) => ({ address, family: 4 }));
    const urls = await open({ shards: [`dns+http://shards.test:${port}`], token }, undefined, both);
    expect(urls).toEqual([`http://127.0.0.1:${port}`, `http://127.0.0.2:${port}`]);
    const infos = await Promise.all(opened.map((client) => client.info()));
    expect(new Set(infos.map(({ bootId }) => bootId)).size).toBe(2);
  });

  it('is looked up again while shards are missing', async () => {
    const port = await serve('127.0.0.1', 0, token);
    await serve('127.0.0.2', port, token);
    let lookups = 0;
    const growing: LookupAll = async () =>
      ['127.0.0.1', '127.0.0.2'].slice(0, ++lookups).map((address) => ({ address, family: 4 }));
    const asked = { shards: [`dns+http://shards.test:${port}`], token, waitShards: 2 };
    expect(await open(asked, undefined, growing)).toHaveLength(2);
    expect(lookups).toBe(2);
    expect(notes).toEqual([naming(1, 2)]);
  });
});

it('a wait for shards ends when they are ready, one by one and from a file that is written meanwhile', async () => {
  const file = join(folder, 'shards.txt');
  const ports = await Promise.all([serve(), serve()]);
  const urls = ports.map((port) => `http://127.0.0.1:${port}`);
  const write = (): void => writeFileSync(file, `${urls.slice(0, notes.length).join('\n')}\n`);
  expect(await open({ shardsFrom: `file:${file}`, waitShards: 2 }, write)).toEqual(urls);
  expect(notes).toEqual([naming(0, 2, 'shards.txt', 'ENOENT'), naming(1, 2)]);
});

it('a wait for shards counts no bench-runner twice, and is over after its time', async () => {
  const port = await serve();
  const shards = [`http://127.0.0.1:${port}`, `http://localhost:${port}`, 'http://127.0.0.1:1'];
  await expect(open({ shards, waitShards: 2, waitShardsMs: 1009 })).rejects.toMatchObject({
    exitCode: 2,
    problems: [{ code: 'shardsMissing', message: naming(1, 2, 'http://127.0.0.1:1') }],
  });
});

it('a wait for shards takes those that are ready, and says which it leaves out', async () => {
  const port = await serve();
  const shards = [`http://127.0.0.1:${port}`, 'http://127.0.0.1:1'];
  expect(await open({ shards, waitShards: 1 })).toEqual(shards.slice(0, 1));
  expect(notes).toEqual([naming(1, 'http://127.0.0.1:1')]);
});

it('a wait for shards ends at once with a wrong token, and by a signal', async () => {
  const port = await serve('127.0.0.1', 0, token);
  const shards = [`http://127.0.0.1:${port}`];
  await expect(open({ shards, token: 'prime-7927', waitShards: 1 })).rejects.toMatchObject({
    problems: [{ code: 'unauthorized' }],
  });
  const asked = { shards: ['http://127.0.0.1:1'], waitShards: 1 };
  await expect(open(asked, () => ending.abort())).rejects.toMatchObject({
    exitCode: 130,
    problems: [{ code: 'waitInterrupted' }],
  });
});

it('a source that knows no shard is refused without a wait', async () => {
  const file = join(folder, 'none.txt');
  writeFileSync(file, '# none yet\n');
  await expect(open({ shardsFrom: `file:${file}` })).rejects.toMatchObject({ problems: [{ code: 'shardsMissing' }] });
});
