import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { naming } from '../../../test/refusal.js';
import { EngineCommands } from '../engines/engine-commands.js';
import { knownShards, type LookupAll } from './open-shards.js';
import { ShardClient } from './shard-client.js';

const folder = mkdtempSync(join(tmpdir(), 'ringside-shards-'));
afterAll(() => rmSync(folder, { recursive: true }));

const engine = new EngineCommands({}, () => undefined);
const resolvesTo =
  (...addresses: string[]): LookupAll =>
  async () =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

it('dns+ is as many shards as it has addresses, in the order of their numbers', async () => {
  const found = await knownShards(
    { shards: ['dns+http://shards:8080'] },
    engine,
    resolvesTo('10.0.0.10', '10.0.0.9', '10.0.0.10', '10.0.0.2'),
  );
  expect(found.missing).toEqual([]);
  expect(found.shards.map(({ address }) => address)).toEqual(['10.0.0.2', '10.0.0.9', '10.0.0.10']);
  expect(new Set(found.shards.map(({ url }) => url))).toEqual(new Set(['http://shards:8080']));
});

it('dns+ counts a bench-runner with addresses of both families once', async () => {
  const both = resolvesTo('fd00::2', '10.0.0.2', '10.0.0.3', 'fd00::3');
  const { shards } = await knownShards({ shards: ['dns+http://shards'] }, engine, both);
  expect(shards.map(({ address }) => address)).toEqual(['10.0.0.2', '10.0.0.3']);
  const six = await knownShards({ shards: ['dns+http://shards'] }, engine, resolvesTo('fd00::3', 'fd00::2'));
  expect(six.shards.map(({ address }) => address)).toEqual(['fd00::2', 'fd00::3']);
});

it('dns+ is known by its address, and asked by its name', async () => {
  const [https, six] = [
    new ShardClient('https://shards.internal:8443', undefined, { address: '10.0.0.2' }),
    new ShardClient('http://shards:8080', undefined, { address: 'fd00::2' }),
  ];
  expect([https.url, six.url]).toEqual(['https://10.0.0.2:8443', 'http://[fd00::2]:8080']);
  await Promise.all([https.close(), six.close()]);
});

it('dns+ is missing while it does not resolve; an address and a plain name are what they are', async () => {
  const nobody: LookupAll = () => Promise.reject(new Error('nobody knows it'));
  const given = { shards: ['dns+http://10.0.0.2:8080', 'http://shards:8080', 'dns+https://gone'] };
  const { shards, missing } = await knownShards(given, engine, nobody);
  expect(shards).toEqual([{ url: 'http://10.0.0.2:8080' }, { url: 'http://shards:8080' }]);
  expect(missing).toMatchObject([{ code: 'shardsUnknown', message: naming('dns+https://gone') }]);
});

describe('a source', () => {
  const path = join(folder, 'shards.txt');

  it('gives what --shard takes', async () => {
    writeFileSync(path, 'dns+http://shards:8080\nhttp://10.0.0.7:8080\n');
    const { shards } = await knownShards({ shards: [], shardsFrom: `file:${path}` }, engine, resolvesTo('10.0.0.2'));
    expect(shards).toEqual([{ url: 'http://shards:8080', address: '10.0.0.2' }, { url: 'http://10.0.0.7:8080' }]);
  });

  it.each([
    ['that is not there', 'none.txt', undefined, naming('none.txt', 'ENOENT')],
    ['with other addresses', 'ftp.txt', 'ftp://10.0.0.7\n', naming('ftp://10.0.0.7')],
  ])('%s is refused', async (_name, name, text, message) => {
    const file = join(folder, name);
    if (text !== undefined) writeFileSync(file, text);
    await expect(knownShards({ shards: [], shardsFrom: `file:${file}` }, engine)).rejects.toMatchObject({
      problems: [{ code: 'sourceFailed', message }],
    });
  });

  it('whose program is not here is refused with the command', async () => {
    const nowhere = new EngineCommands({ PATH: folder }, () => undefined);
    await expect(knownShards({ shards: [], shardsFrom: 'kubernetes' }, nowhere)).rejects.toMatchObject({
      problems: [{ code: 'sourceFailed', message: naming('kubectl get pods') }],
    });
  });
});
