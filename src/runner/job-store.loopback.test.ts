import { mkdtempSync, readdirSync, rmdirSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { named } from '../../test/refusal.js';
import { digestOf, mostModuleBytes } from '../contract/job.js';
import { refusal } from '../contract/shard.js';
import { protocolByName } from '../protocols/list.js';
import { ShardClient } from '../run/shards/shard-client.js';
import { runnerOptions } from './allow-list.js';
import { createService } from './http.js';
import { ModuleStore } from './job-store.js';
import { createIdentity } from './shard-self.js';

const body = Buffer.from('export default { async client() {} };');
const digest = digestOf(body);

/** Runs `work` with a bench-runner's address and a client of it. */
async function withRunner(
  given: Parameters<typeof runnerOptions.parse>[0],
  work: (shard: ShardClient, url: string) => Promise<void>,
): Promise<void> {
  const { service } = createService(runnerOptions.parse(given), createIdentity());
  await service.listen({ host: '127.0.0.1', port: 0 });
  const url = `http://127.0.0.1:${(service.server.address() as AddressInfo).port}`;
  const shard = new ShardClient(url, undefined);
  try {
    await work(shard, url);
  } finally {
    await shard.close();
    await service.close();
  }
}

it('takes a module once, and removes it at the end', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ringside-test-'));
  vi.stubEnv('TMPDIR', folder);
  await withRunner({ allowsModules: true }, async (shard) => {
    expect(await shard.hasModule(digest)).toBe(false);
    await shard.putModule(digest, body);
    expect(await shard.hasModule(digest)).toBe(true);
    expect(readdirSync(folder, { recursive: true })).toContainEqual(expect.stringContaining(digest));
    expect((await shard.info()).allowsModules).toBe(true);
  });
  vi.unstubAllEnvs();
  expect(readdirSync(folder)).toEqual([]);
  rmdirSync(folder);
});

it('refuses a module of another digest', async () => {
  await withRunner({ allowsModules: true }, async (shard) => {
    const refused = { problems: [named('moduleDamaged', digest, digestOf(Buffer.from('x')))] };
    await expect(shard.putModule(digest, Buffer.from('x'))).rejects.toMatchObject(refused);
    expect(await shard.hasModule(digest)).toBe(false);
    await expect(shard.putModule('none', body)).rejects.toMatchObject({ problems: [named('badBody', 64)] });
  });
});

it('refuses modules beyond 16 MiB', async () => {
  await withRunner({ allowsModules: true }, async (shard) => {
    const most = Buffer.alloc(mostModuleBytes, ' ');
    await shard.putModule(digestOf(most), most);
    const more = Buffer.alloc(mostModuleBytes + 1, ' ');
    const refused = { problems: [named('overLimit', mostModuleBytes)] };
    await expect(shard.putModule(digestOf(more), more)).rejects.toMatchObject(refused);
  });
});

it('refuses every module without --allow-modules, by name of the command', async () => {
  await withRunner({}, async (shard) => {
    const hint = expect.stringContaining('ringside bench-runner --allow-modules');
    const refused = { problems: [{ code: 'modulesNotAllowed', hint }] };
    await expect(shard.putModule(digest, body)).rejects.toMatchObject(refused);
    expect(await shard.hasModule(digest)).toBe(false);
    expect((await shard.info()).allowsModules).toBe(false);
  });
});

it('takes bytes only', async () => {
  await withRunner({ allowsModules: true }, async (_shard, url) => {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${url}/modules/${digest}`, { method: 'PUT', headers, body: '{}' });
    expect([answer.status, refusal.parse(await answer.json()).problems]).toEqual([400, [named('badBody')]]);
  });
});

it('a job needs its modules here', async () => {
  const store = new ModuleStore(true);
  const job = { digest, name: 'chat.ts', weight: 1 };
  expect(store.problems([])).toEqual([]);
  expect(store.problems([job])).toEqual([named('moduleMissing', 'chat.ts', digest)]);
  expect(new ModuleStore(false).problems([job])).toEqual([named('modulesNotAllowed')]);
  await store.put(digest, body);
  expect(store.problems([job])).toEqual([]);
  expect(store.filesOf([job])).toEqual([expect.stringContaining(`${digest}.mjs`)]);
  await store.end();
});

it('a job needs its protocol here, which is loaded', async () => {
  const code = (session: string): Buffer =>
    Buffer.from(`export default { name: 'acme', summary: 'x', verbs: [], session: () => ({ ${session} }) };`);
  const [whole, part] = [code('opened() {}, received() {}, subscribe() {}'), code('opened() {}')];
  const named16 = (each: Buffer): string => `acme@${digestOf(each).slice(0, 16)}`;
  const store = new ModuleStore(true);
  expect(await store.protocolFile('ws-json')).toBeUndefined();
  const refused = (from: ModuleStore, each: Buffer, problems: unknown) =>
    expect(from.protocolFile(named16(each))).rejects.toMatchObject({ problems });
  await refused(new ModuleStore(false), whole, [named('modulesNotAllowed')]);
  await refused(store, whole, [named('moduleMissing', named16(whole))]);
  await store.put(digestOf(whole), whole);
  await store.put(digestOf(part), part);
  expect(await store.protocolFile(named16(whole))).toContain(`${digestOf(whole)}.mjs`);
  expect(protocolByName(named16(whole))?.summary).toBe('x');
  await refused(store, part, [named('badFlow', 'received'), named('badFlow', 'subscribe')]);
  await store.end();
});

it('keeps 64 modules, and forgets the oldest', async () => {
  const store = new ModuleStore(true);
  const bodies = Array.from({ length: 67 }, (_, index) => Buffer.from(String(index)));
  for (const each of bodies) await store.put(digestOf(each), each);
  expect(bodies.map((each) => store.has(digestOf(each))).indexOf(true)).toBe(3);
  await store.end();
});
