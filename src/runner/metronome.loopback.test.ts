import { afterAll, expect, it } from 'vitest';
import { problemsOf, RunnerHttp } from '../../test/runner-http.js';
import { runnerOptions } from './allow-list.js';
import { createService } from './http.js';
import { readCpuQuota } from './metronome.js';
import { createIdentity } from './shard-self.js';

const token = 'prime-7919';
const options = runnerOptions.parse({ token, allowTargets: ['10.0.0.0/8'] });
const { service } = createService(options, createIdentity());
await service.listen({ host: '127.0.0.1', port: 0 });
const { port } = service.server.address() as { port: number };
const http = new RunnerHttp(port, `Bearer ${token}`);
afterAll(() => service.close());

it('a drill loads nothing that the bench-runner does not allow', async () => {
  const refused = await http.ask('POST', '/metronome');
  expect(refused.status).toBe(403);
  expect(problemsOf(refused)).toMatchObject([{ code: 'targetNotAllowed' }]);
  expect((await http.ask('DELETE', '/metronome')).status).toBe(200);
});

it.each([
  ['GET', '/now'],
  ['POST', '/metronome'],
  ['DELETE', '/metronome'],
] as const)('%s %s takes the token', async (method, path) => {
  expect((await new RunnerHttp(port).ask(method, path)).status).toBe(401);
});

it('a container names its CPU quota, of either version of control groups', () => {
  const of = (files: Record<string, string>) => readCpuQuota((path) => files[path]);
  const version1 = (quotaUs: string) => ({
    '/sys/fs/cgroup/cpu/cpu.cfs_quota_us': `${quotaUs}\n`,
    '/sys/fs/cgroup/cpu/cpu.cfs_period_us': '100000\n',
  });
  expect(of({ '/sys/fs/cgroup/cpu.max': '150000 100000\n' })).toBe(1.5);
  expect(of(version1('70000'))).toBe(0.7);
  expect([of({}), of({ '/sys/fs/cgroup/cpu.max': 'max 100000\n' }), of(version1('-1'))]).toEqual([null, null, null]);
});
