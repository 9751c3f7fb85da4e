import { hostname } from 'node:os';
import { expect, it, vi } from 'vitest';
import { latencyFlags, soundResult } from '../../../test/latency.js';
import { asJson, named, refusal } from '../../../test/refusal.js';
import { exitOf, keptDirectory, workplace } from '../../../test/workplace.js';
import { shardNow } from '../../contract/shard.js';

const place = workplace();

it('two drivers, one fleet: the second learns who holds it, or waits until it is free', async () => {
  const { port } = await place.benchRunner();
  const url = `http://127.0.0.1:${port}`;
  const start = (flags: string[] = [], env: Record<string, string> = {}) =>
    place.ringside(['run', 'latency', '--target', 'ws', ...latencyFlags(7, 397), '--shard', url, ...flags], env);
  const holder = async () => shardNow.parse(await (await fetch(`${url}/now`)).json()).holder;

  const first = start();
  await vi.waitFor(async () => expect(await holder()).not.toBeNull(), { timeout: 60_000, interval: 31 });
  const held = await holder();
  const patient = start(['--wait', '10m']);
  const problems = await refusal(start([], asJson));
  expect(problems).toEqual([named('shardBusy', held?.runId ?? '', `@${hostname()}/${first.pid}`)]);

  const [one, other] = await Promise.all([first.ended, patient.ended]);
  const results = [soundResult(one), soundResult(other)];
  for (const { stop, ledger } of results) {
    expect(stop.code).toBe('completed');
    expect(ledger).toMatchObject({ acked: 397, delivered: 7 * 397, lost: 0 });
  }
  expect([one.code, other.code]).toEqual(results.map(exitOf));
  expect(other.stderr).toContain(held?.runId);
  const isOfHolder = [one, other].map((ended) => keptDirectory(ended).endsWith(`-${held?.runId}`));
  expect(isOfHolder).toEqual([true, false]);
  expect(await holder()).toBeNull();
});
