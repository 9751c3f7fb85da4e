import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import type { Command } from '../../../test/command.js';
import { latencyFlags, soundResult } from '../../../test/latency.js';
import { shown } from '../../../test/live.js';
import { jobTo, RunnerHttp } from '../../../test/runner-http.js';
import { Switchboard } from '../../../test/switchboard.js';
import { exitOf, type Served, workplace } from '../../../test/workplace.js';

const place = workplace();
const cutMs = 8009;

const start = (shards: readonly { port: number }[], flags: string[]): Command => {
  const urls = shards.flatMap(({ port }) => ['--shard', `http://127.0.0.1:${port}`]);
  return place.ringside(['run', 'latency', '--target', 'ws', '--watch', ...flags, ...urls]);
};

/** Waits until broadcasts are under way, those of the warm-up far behind, and every shard received some. */
const midRun = (driver: Command) =>
  shown(driver, ({ figures: { published = 0 }, shardDeliveries }) => {
    return published >= 53 && shardDeliveries.every((deliveries) => (deliveries ?? 0) > 0);
  });

/** Two bench-runners; nothing comes through to the second while its board is cut. */
async function fleet(args: string[] = []): Promise<{ one: Served; other: Served; board: Switchboard }> {
  const [one, other] = await Promise.all([place.benchRunner(args), place.benchRunner(args)]);
  return { one, other, board: await Switchboard.open(other.port) };
}

describe('a shard that is cut off', { concurrent: true }, () => {
  it('for longer than a gate is away, and less than its lease: nothing is lost, and the silence is kept', async () => {
    const { one, board } = await fleet();
    // The broadcasts last about as long as the cut, so that it lies across the next gate.
    const driver = start([one, board], latencyFlags(31, 397));
    await midRun(driver);
    board.cut();
    await delay(cutMs);
    board.heal();
    const ended = await driver.ended;
    board.close();
    const result = soundResult(ended);
    const { stop, shards, ledger, environment } = result;
    expect([ended.code, stop.code]).toEqual([exitOf(result), 'completed']);
    expect(shards.map(({ state }) => state)).toEqual(['complete', 'complete']);
    expect(ledger).toMatchObject({ acked: 397, delivered: 31 * 397, lost: 0 });
    // A busy machine may be silent for a while by itself, but not for so long.
    const cuts = shards.map(({ silences = [] }) => silences.filter(({ fromMs, toMs }) => toMs - fromMs > cutMs / 2));
    expect(cuts.map(({ length }) => length)).toEqual([0, 1]);
    // No gate opens for a silent shard.
    const drain = environment.stages.find(({ name }) => name === 'drain');
    expect(drain?.fromMs).toBeGreaterThan(cuts[1]?.[0]?.toMs ?? Number.POSITIVE_INFINITY);
  });

  it('for longer than its lease: the run says what it saw last, and the shard is free for the next', async () => {
    const { other, board } = await fleet();
    const driver = start([board], [...latencyFlags(31, 4999), '--lease', '5s']);
    await midRun(driver);
    board.cut();
    const ended = await driver.ended;
    expect(ended.code).toBe(5);
    const { stop, shards, verdict } = soundResult(ended);
    expect(stop.code).toBe('shardLost');
    expect(shards).toMatchObject([{ state: 'lost', result: null, lastSeen: { stage: 'publish' } }]);
    const { subscribers, received = 0 } = shards[0]?.lastSeen?.progress ?? {};
    expect(subscribers).toBe(31);
    expect(received).toBeGreaterThan(0);
    expect(shards[0]?.silences).toHaveLength(1);
    const rules = verdict.evidence.map(({ rule }) => rule);
    expect(rules).toContain('cut-short');
    expect(rules.filter((rule) => rule.startsWith('nothing-'))).toEqual([]);
    board.close();
    const runner = new RunnerHttp(other.port);
    const next = jobTo(other.port);
    const takesIt = async () => expect((await runner.ask('POST', '/jobs', next)).status).toBe(202);
    await vi.waitFor(takesIt, { timeout: 60_000, interval: 101 });
  });
});

describe('a bench-runner of a run that is signalled', { concurrent: true }, () => {
  it('is asked to end: all that it measured is in the result, and it ends when that was fetched', async () => {
    // A process that waited for its time to pass would not end within that of the test.
    const { one, other } = await fleet(['--linger', '20m']);
    const driver = start([one, other], latencyFlags(31, 997));
    await midRun(driver);
    other.command.kill('SIGTERM');
    const [ended, left] = await Promise.all([driver.ended, other.command.ended]);
    expect(ended.code).toBe(5);
    expect(left).toMatchObject({ code: 0, signal: null });
    const { stop, shards, ledger } = soundResult(ended);
    const evidence = [expect.stringMatching(new RegExp(`:${other.port}\\b.*SIGTERM`))];
    expect(stop).toEqual({ code: 'shardEnded', evidence });
    expect(shards).toMatchObject([
      { state: 'partial', result: { stop: { code: 'endedByDriver' } } },
      { state: 'partial', result: { stop: { code: 'shardEnded' } } },
    ]);
    for (const { result } of shards) expect(result?.samples.delivery?.count).toBeGreaterThan(0);
    expect(ledger.delivered).toBeGreaterThan(0);
    one.command.kill('SIGTERM');
    expect(await one.command.ended).toMatchObject({ code: 0, signal: null });
  });
});
