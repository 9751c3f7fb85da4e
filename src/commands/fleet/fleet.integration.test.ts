import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { asJson, named, problemsIn } from '../../../test/refusal.js';
import { type Served, workplace } from '../../../test/workplace.js';
import { version } from '../../contract/version.js';
import type { ShardState } from './command.js';

const place = workplace();
const path = join(place.folder, 'bin');
const calls = join(place.folder, 'calls');
let runners: Served[] = [];

/** A program of that name on the PATH that notes how it is called, BENCH_RUNNERS included, then runs a script. */
function program(name: string, script: string): Record<string, string> {
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, name), `#!/bin/sh\necho ${name} $* $BENCH_RUNNERS >> ${calls}\n${script}\n`);
  chmodSync(join(path, name), 0o755);
  writeFileSync(calls, '');
  return { PATH: `${path}:${process.env.PATH}` };
}

const called = (): string[] => readFileSync(calls, 'utf8').trim().split('\n');

beforeAll(async () => {
  runners = await Promise.all([place.benchRunner(), place.benchRunner()]);
});

it('fleet status shows every bench-runner, and exits with 2 if one does not answer', async () => {
  const urls = [...runners.map(({ port }) => `http://127.0.0.1:${port}`), 'http://127.0.0.1:1'];
  const { code, stdout } = await place.run(['fleet', 'status', '--json'], { SHARDS: urls.join(',') });
  expect(code).toBe(2);
  const { shards } = JSON.parse(stdout) as { shards: ShardState[] };
  expect(shards.map(({ url }) => url)).toEqual(urls);
  expect(shards.map(({ why }) => why === null)).toEqual([true, true, false]);
  for (const { clock, roundTrip, ...shard } of shards.slice(0, 2)) {
    expect(shard).toMatchObject({
      version,
      cores: expect.any(Number),
      engine: expect.any(String),
      holder: null,
    });
    // Both are of this machine: the true offset is 0.
    expect(Math.abs(clock?.offsetMs ?? Number.NaN)).toBeLessThanOrEqual(clock?.uncertaintyMs ?? 0);
    expect(roundTrip?.worstMs).toBeGreaterThanOrEqual(roundTrip?.medianMs ?? Number.NaN);
  }
});

it('fleet status asks kubectl for the addresses, and says which command it ran', async () => {
  const pods = runners.map(({ port }, index) => ({
    metadata: { name: `bench-runner-${index}` },
    spec: { containers: [{ ports: [{ containerPort: port }] }] },
    status: { podIP: '127.0.0.1', conditions: [{ type: 'Ready', status: 'True' }] },
  }));
  writeFileSync(join(place.folder, 'pods.json'), JSON.stringify({ items: pods }));
  const env = program('kubectl', `cat ${join(place.folder, 'pods.json')}`);
  const args = ['fleet', 'status', '--shards-from', 'kubernetes', '--wait-shards', '2'];
  const { code, stderr } = await place.run(args, env);
  expect(code).toBe(0);
  const asked = 'kubectl get pods --selector app.kubernetes.io/name=ringside-bench-runner --output json';
  expect(new Set(called())).toEqual(new Set([asked]));
  expect(stderr.split('\n').filter((line) => line === `$ ${asked}`)).toHaveLength(1);
});

it('fleet status says what a failed command printed', async () => {
  const env = { ...asJson, ...program('kubectl', 'echo "no context prime-7919" >&2; exit 7') };
  const ended = await place.run(['fleet', 'status', '--shards-from', 'kubernetes:tier=load'], env);
  expect(ended.code).toBe(2);
  const words = ['kubernetes:tier=load', 'kubectl get pods --selector tier=load', 7, 'no context prime-7919'];
  expect(problemsIn(ended)).toEqual([named('sourceFailed', ...words)]);
});

it('fleet status is refused without shards', async () => {
  expect(await place.refused(['fleet', 'status'])).toEqual([named('badOption', '--shard', '--shards-from')]);
});
