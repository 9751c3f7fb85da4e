import { type AddressInfo, connect, createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { RunResult } from '../../contract/result.js';
import { recordOf } from '../../testing/known-truth.js';
import { keptResult, workplace } from '../../testing/workplace.js';

const place = workplace();
const sizes = ['--step', '7', '--steps', '3', '--sample', '11', '--concurrent', '2'];
const run = (flags: string[]) => place.run(['run', 'steps', ...sizes, ...flags]);

/** A step's broadcasts, times all clients that are there by then. */
const whole = 11 * (7 + 14 + 21);
const byStep = { 1: 7, 2: 14, 3: 21 };
const clean = { unsent: 0, unanswered: 0, lost: 0, duplicate: 0, late: 0, stray: 0, lostInStep: {} };

/** A port of a target's that lets so many connections through, and cuts every further one. */
async function openTo(connections: number, targetPort: number): Promise<number> {
  let taken = 0;
  const door = createServer((socket) => {
    const forgive = (): unknown => socket.destroy();
    socket.on('error', forgive);
    if (++taken > connections) return socket.destroy();
    const behind = connect(targetPort, '127.0.0.1');
    behind.on('error', forgive);
    return socket.pipe(behind).pipe(socket);
  });
  onTestFinished(() => void door.close());
  await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve));
  return (door.address() as AddressInfo).port;
}

/** What holds of every run, however its target treats it. */
function sound(result: RunResult): RunResult {
  const {
    sent,
    answered = 0,
    unanswered = 0,
    expected,
    delivered = 0,
    lost = 0,
  } = result.ledger as Record<string, number>;
  expect(sent).toBe(answered + unanswered);
  expect(expected).toBe(delivered + lost);
  expect(result.metrics.roundTrip?.count).toBe(answered);
  const count = (metric: string): number =>
    [1, 2, 3].reduce((sum, step) => sum + (result.metrics[`${metric}Step${step}`]?.count ?? 0), 0);
  expect([count('roundTrip'), count('delivery')]).toEqual([answered, result.metrics.delivery?.count]);
  const unfinished = (metric: string): number => result.metrics[metric]?.unfinished ?? 0;
  const inSteps = [1, 2, 3].reduce((sum, step) => sum + unfinished(`roundTripStep${step}`), 0);
  expect([unfinished('roundTrip'), inSteps]).toEqual([unanswered, unanswered]);
  // How long the steps take is the machine's.
  const faults = result.verdict.evidence.filter(({ rule, level }) => level === 'void' && rule !== 'elapsed-overrun');
  expect(faults).toEqual([]);
  expect(result.shards.map(({ state }) => state)).toEqual(result.shards.map(() => 'complete'));
  return result;
}

describe.concurrent('steps of clients', () => {
  it.each([
    ['ws-shootout', []],
    ['ws-shootout', ['--client', 'library', '--local-shards', '2']],
    ['uws-shootout', ['--local-shards', '2', '--workers', '2']],
    ['uws-shootout', ['--target-processes', '2']],
    ['ws-shootout-cable', ['--local-shards', '2']],
    ['ws-shootout-cable', ['--client', 'library']],
    ['metronome-shootout', ['--local-shards', '7']],
  ])('%s %j: every client gets every broadcast of its steps', async (target, flags) => {
    const ended = await run(['--target', target, ...flags]);
    const result = sound(keptResult(ended));
    expect(result.stop).toEqual({ code: 'completed', evidence: [] });
    expect(result.ledger).toEqual({
      ...clean,
      sent: 33,
      answered: 33,
      expected: whole,
      delivered: whole,
      clients: byStep,
    });
    expect(result.thresholds).toEqual(
      ['lost==0', 'unanswered==0', 'unsent==0'].map((text) => ({ text, kind: 'count', value: 0, isKept: true })),
    );
    expect(ended.stdout).toMatch(
      /^clients: +21 +95per-rtt: +– +min-rtt: +\S+ms +median-rtt: +\S+ms +max-rtt: +\S+ms +to every client: p50 +\S+ms +p95 +\S+ +max +\S+ms$/m,
    );
    expect([0, 4]).toContain(ended.code);
    // Whole broadcasts are timed only by the one shard that sends them and has all clients.
    if (!flags.includes('--local-shards')) expect(result.metrics.delivery?.count).toBe(whole);
  });

  it.each([1, 2])('an echo comes back to its sender alone, over %i shard(s)', async (shards) => {
    const ended = await run(['--target', 'ws-shootout', '--mode', 'echo', '--local-shards', String(shards)]);
    const result = sound(keptResult(ended));
    expect(result.ledger).toEqual({ ...clean, sent: 33, answered: 33, expected: 33, delivered: 33, clients: byStep });
  });

  it.each([1, 2])('a limit ends them after the step that breaks it, over %i shard(s)', async (shards) => {
    const flags = ['--target', 'metronome-shootout', '--limit', 'p95<1ms', '--target-option', 'refuse-publish=0.5'];
    const ended = await run([...flags, '--drain', '211ms', '--local-shards', String(shards)]);
    const result = sound(keptResult(ended));
    expect(result.stop.code).toBe('limitReached');
    expect(result.stop.evidence[0]).toMatch(/^p95<1ms broken by step 1 of 3, 7 clients: \d+ of 11 round trips/);
    expect(result.ledger).toMatchObject({ sent: 11, expected: 77, clients: { 1: 7 } });
    expect(result.shards.reduce((sum, { result: part }) => sum + (part?.counts.asked ?? 0), 0)).toBe(7);
  });

  it.each([1, 2])(
    'broadcasts that are missing are found to the last and set the exit code: %i shard(s)',
    async (shards) => {
      const flags = ['--target', 'metronome-shootout', '--target-option', 'drop=0.1', '--target-option', 'seed=7'];
      const ended = await run([...flags, '--drain', '5s', '--local-shards', String(shards)]);
      const result = sound(keptResult(ended));
      const { expected, delivered = 0, lost = 0, answered } = result.ledger as Record<string, number>;
      expect([expected, answered]).toEqual([whole, 33]);
      expect(lost).toBeGreaterThan(0);
      expect(result.thresholds[0]).toEqual({ text: 'lost==0', kind: 'count', value: lost, isKept: false });
      expect(ended.stdout).toContain(`Missing received broadcasts: expected ${whole}, got ${delivered}\n`);
      expect([3, 4]).toContain(ended.code);
      expect(result.verdict.rig === 'clean').toBe(ended.code === 3);
    },
  );

  it.each([1, 2])('are as spoilt as the metronome itself says: %i shard(s)', async (shards) => {
    const orders = ['--drop=0.1', '--duplicate=0.1', '--refuse-publish=0.1', '--seed=11'];
    const target = await place.serve('servers/metronome/main.js', ['--protocol=shootout', ...orders]);
    const at = ['--target-url', `ws://127.0.0.1:${target.port}/shootout`, '--protocol', 'shootout'];
    const result = sound(keptResult(await run([...at, '--drain', '5s', '--local-shards', String(shards)])));
    const { totals, broadcasts } = await recordOf(target);
    expect(totals).toMatchObject({ isWhole: true, pending: 0, gone: 0 });
    const refused = broadcasts.filter(({ status }) => status === 503).map(({ sequence }) => sequence);
    expect(totals.dropped * totals.duplicated * refused.length).toBeGreaterThan(0);
    const neverSaid = refused.reduce((sum, sequence) => sum + 7 * (Math.floor(sequence / 11) + 1), 0);
    expect(result.ledger).toMatchObject({
      ...{ sent: 33, answered: totals.broadcasts, unanswered: refused.length, expected: whole, clients: byStep },
      ...{ delivered: totals.delivered, lost: totals.dropped + neverSaid, duplicate: totals.duplicated, late: 0 },
    });
  });

  it('that a target takes no more clients for end with those that it took, and what was measured stands', async () => {
    const target = await place.serve('servers/metronome/main.js', ['--protocol=shootout']);
    const port = await openTo(7, target.port);
    const ended = await run(['--target-url', `ws://127.0.0.1:${port}/shootout`, '--protocol', 'shootout']);
    const result = sound(keptResult(ended));
    expect(result.stop.code).toBe('clientsShort');
    const [short, causes = ''] = result.stop.evidence;
    expect(short).toBe('round 2: 14 clients asked, 7 subscribers');
    const failed = [...causes.matchAll(/(reset|end-of-stream) × (\d+)/g)].map(([, , many]) => Number(many));
    expect(failed.reduce((sum, many) => sum + many, 0)).toBe(7);
    expect(result.ledger).toEqual({
      ...clean,
      ...{ sent: 11, answered: 11, expected: 77, delivered: 77, clients: { 1: 7 } },
    });
    expect([0, 4]).toContain(ended.code);
  });

  it('promise no lost broadcast, unless the user promises something else of it', async () => {
    const ended = await run([
      ...['--target', 'metronome-shootout', '--target-option', 'drop=0.1', '--drain', '503ms'],
      ...['--threshold', 'lost<=462'],
    ]);
    const { thresholds } = keptResult(ended);
    expect(thresholds.map(({ text, isKept }) => [text, isKept])).toEqual([
      ['unanswered==0', true],
      ['unsent==0', true],
      ['lost<=462', true],
    ]);
    expect([0, 4]).toContain(ended.code);
  });

  it('need a protocol that tells a sender when its broadcast is out', async () => {
    const ended = await run(['--target', 'ws']);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain('scenario steps needs "acknowledge", which protocol ws-json has not');
  });
});
