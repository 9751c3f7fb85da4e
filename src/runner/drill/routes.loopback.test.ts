import { afterAll, expect, it } from 'vitest';
import { problemsOf, RunnerHttp, textOf } from '../../../test/runner-http.js';
import { mostBytes, vitals } from '../../contract/drill.js';
import { shardNow } from '../../contract/shard.js';
import { runnerOptions } from '../allow-list.js';
import { createService } from '../http.js';
import { createIdentity } from '../shard-self.js';

const token = 'prime-7919';
const options = runnerOptions.parse({ token, allowTargets: ['10.0.0.0/8'] });
const { service } = createService(options, createIdentity());
await service.listen({ host: '127.0.0.1', port: 0 });
const { port } = service.server.address() as { port: number };
const http = new RunnerHttp(port, `Bearer ${token}`);
afterAll(() => service.close());

it('a drill reads clocks and vitals', async () => {
  const read = async (path: string) => JSON.parse(textOf(await http.ask('GET', path)));
  const [first, second] = [shardNow.parse(await read('/now')), shardNow.parse(await read('/now'))];
  expect(second.monotonicMs).toBeGreaterThanOrEqual(first.monotonicMs);
  const [before, after] = [vitals.parse(await read('/vitals')), vitals.parse(await read('/vitals'))];
  expect(after.atMs).toBeGreaterThan(before.atMs);
});

it('gets as many bytes as it asks for, and no more than a bound', async () => {
  expect((await http.ask('GET', `/bytes/${mostBytes}`)).body).toHaveLength(mostBytes);
  for (const count of [String(mostBytes + 1), '0', 'many'])
    expect((await http.ask('GET', `/bytes/${count}`)).status).toBe(400);
});

it('loads nothing that the bench-runner does not allow', async () => {
  const refused = await http.ask('POST', '/metronome');
  expect(refused.status).toBe(403);
  expect(problemsOf(refused)).toMatchObject([{ code: 'targetNotAllowed' }]);
  expect((await http.ask('DELETE', '/metronome')).status).toBe(200);
});

it.each([
  ['GET', '/now'],
  ['GET', '/vitals'],
  ['GET', '/bytes/7'],
  ['POST', '/metronome'],
  ['DELETE', '/metronome'],
] as const)('%s %s takes the token', async (method, path) => {
  expect((await new RunnerHttp(port).ask(method, path)).status).toBe(401);
});
