import { describe, expect, it } from 'vitest';
import type { RunResult } from '../../contract/result.js';
import { stopReasons } from '../../contract/stop-reasons.js';
import { built } from '../../testing/built.js';
import type { Ended } from '../../testing/command.js';
import { recordOf } from '../../testing/known-truth.js';
import { soundResult, targetFlags } from '../../testing/latency.js';
import { type Served, workplace } from '../../testing/workplace.js';

const place = workplace();
const anycable = process.env.ANYCABLE_GO_BIN;
const [broadcasts, warmUp] = [120, 4];

/** Twelve seconds of broadcasts, of which the redeploy has eleven, on a busy machine too; who is cut tries again soon. */
function flags(subscribers: number, more: readonly string[] = []): string[] {
  const backoff = { backoff: '200ms', 'backoff-max': '500ms' };
  const sizes = {
    subscribers,
    broadcasts,
    'warm-up': warmUp,
    rate: '10/s',
    before: '1s',
    drain: '5s',
    'ramp-rate': '503/s',
    seed: 7,
  };
  return [
    ...Object.entries({ ...sizes, ...backoff }).flatMap(([flag, value]) => [`--${flag}`, String(value)]),
    ...more,
  ];
}

const ours = (target: string, more: string[]): Promise<Ended> =>
  place.run(['run', 'deploy', '--target', target, ...more], { ANYCABLE_GO_BIN: anycable });

/** The books of a run that went to its end, checked to the last delivery. */
function soundBooks(ended: Ended, subscribers: number): { result: RunResult; books: Record<string, number> } {
  const result = soundResult(ended);
  expect(result.stop).toEqual({ code: 'completed', evidence: [] });
  // How long a run takes is the machine's affair.
  const broken = result.verdict.evidence.filter(({ rule, level }) => level === 'void' && rule !== 'elapsed-overrun');
  expect(broken).toEqual([]);
  expect([0, 4]).toContain(ended.code);
  const books = result.ledger as Record<string, number>;
  const { acked = 0, refused = 0, failed = 0, lostOffline = 0, lostOnline = 0, gaps = 0, openGaps = 0 } = books;
  expect(books).toMatchObject({
    ...{ subscribers, attempted: broadcasts, wanted: broadcasts * subscribers, unheard: 0 },
    ...{ unpublished: refused + failed, expected: acked * subscribers, lost: lostOffline + lostOnline },
  });
  expect(gaps + openGaps).toBe(subscribers);
  expect(result.metrics.gap?.count).toBe(subscribers);
  return { result, books };
}

/** What a run says in which every connection was dropped once and came back. */
function allDropped(ended: Ended, subscribers: number, processes = 1): Record<string, number> {
  const { result, books } = soundBooks(ended, subscribers);
  expect(books).toMatchObject({
    ...{
      replacedTargets: processes,
      applicationProcesses: 0,
      dropped: subscribers,
      cut: subscribers,
      cutAgain: 0,
      cutsBefore: 0,
    },
    ...{ neverCut: 0, proven: subscribers, notBack: 0, returns: subscribers, openGaps: 0 },
  });
  expect(books.lost).toBeGreaterThan(0);
  expect(result.metrics.offline?.count).toBe(subscribers);
  expect(result.metrics.reconnect?.count).toBe(subscribers);
  // Whoever is away for a while misses at least what comes meanwhile.
  expect(result.metrics.gap?.max).toBeGreaterThanOrEqual(result.metrics.offline?.max ?? 0);
  return books;
}

/** What a run says in which no connection was touched, and every broadcast that was taken reached everybody. */
function noneDropped(ended: Ended, subscribers: number): { result: RunResult; books: Record<string, number> } {
  const { result, books } = soundBooks(ended, subscribers);
  expect(books).toMatchObject({
    ...{ dropped: 0, neverCut: subscribers, attempts: 0, openGaps: 0 },
    ...{ lost: 0, lostOnline: 0, replayed: 0, delivered: (books.acked ?? 0) * subscribers },
  });
  expect(result.metrics.offline?.count).toBe(0);
  return { result, books };
}

describe.concurrent('an application that lives in its target', () => {
  it.each([
    ['ws', []],
    ['socketio', ['--by', 'kill']],
    ['uws', ['--local-shards', '2']],
  ])('takes every connection with it, and all come back: %s %j', async (target, more) => {
    allDropped(await ours(target, flags(37, more)), 37);
  });

  it('of several processes is redeployed one by one, and publishes go on', async () => {
    const ended = await ours('uws', flags(61, ['--target-processes', '3', '--pause', '300ms']));
    const books = allDropped(ended, 61, 3);
    expect(books).toMatchObject({ acked: broadcasts, unpublished: 0 });
  });

  it('of several processes can be redeployed at once', async () => {
    const ended = await ours('uws', flags(61, ['--target-processes', '3', '--rollout', 'at-once']));
    allDropped(ended, 61, 3);
  });
});

describe.concurrent('an application that stands alone', () => {
  it('drops nobody: what it did not publish is the cost', async () => {
    const ended = await ours('socketio', flags(37, ['--application', 'standalone', '--down', '3s']));
    const { result, books } = noneDropped(ended, 37);
    expect(books).toMatchObject({ applicationProcesses: 1, replacedProcesses: 1, replacedTargets: 0 });
    // Thirty are due while nobody listens, of which a machine that was held up may send some late.
    expect(books.unpublished).toBeGreaterThanOrEqual(9);
    expect(result.metrics.gap?.min).toBeGreaterThanOrEqual(1_000_000);
    expect(result.target.settings).toMatchObject({ application: 'standalone', applicationProcesses: 1 });
  });

  it('of several processes is redeployed one by one, and publishes go to the others', async () => {
    const more = [
      '--application',
      'standalone',
      '--application-processes',
      '3',
      '--pause',
      '300ms',
      '--local-shards',
      '2',
    ];
    const { books } = noneDropped(await ours('ws', flags(37, more)), 37);
    expect(books).toMatchObject({ applicationProcesses: 3, replacedProcesses: 3 });
    // No more than what was under way on a connection as it closed.
    expect(books.unpublished).toBeLessThanOrEqual(3);
  });

  it.skipIf(anycable === undefined)('is how AnyCable has it (set ANYCABLE_GO_BIN)', async () => {
    const { books } = noneDropped(await ours('anycable', flags(37, ['--down', '3s'])), 37);
    expect(books).toMatchObject({ applicationProcesses: 1, replacedProcesses: 1 });
    expect(books.unpublished).toBeGreaterThanOrEqual(9);
  });

  it('is the only one that AnyCable has', async () => {
    const ended = await ours('anycable', flags(37, ['--application', 'embedded']));
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain('no application lives in anycable');
  });
});

describe.concurrent('a redeploy that nothing shows', () => {
  it('is a failed run', async () => {
    const target = await place.serve('servers/ws/main.js');
    const more = [...targetFlags(target), '--restart-command', 'true'];
    const ended = await place.run(['run', 'deploy', ...flags(13, more)]);
    expect(ended.code).toBe(4);
    expect(soundResult(ended).stop).toEqual({
      code: 'noRestart',
      evidence: ['of 13 clients that were there at the order 0 were cut'],
      advice: stopReasons.noRestart.advice,
    });
  });

  it('is none of which the end comes after the last broadcast', async () => {
    const target = await place.serve('servers/ws/main.js');
    const more = [...targetFlags(target), '--restart-command', 'sleep 2'];
    const ended = await place.run(['run', 'deploy', ...flags(13, ['--broadcasts', '20', ...more])]);
    expect(ended.code).toBe(4);
    const { stop } = soundResult(ended);
    expect(stop.code).toBe('restartOutlasted');
    expect(stop.evidence[0]).toContain('give more --broadcasts');
  });
});

describe.concurrent('an application of somebody', () => {
  /** Runs deploy before a server of ours, with an application that a command ends and starts again a second later. */
  async function redeployed(server: string, orders: string[] = []): Promise<{ ended: Ended; target: Served }> {
    const target = await place.serve(server, orders);
    const publishUrl = `http://127.0.0.1:${target.port}/_broadcast`;
    const main = built('servers/application/main.js');
    const application = await place.serve('servers/application/main.js', ['--publish-url', publishUrl]);
    const { port } = application;
    const again = `'${process.execPath}' '${main}' --port ${port} --publish-url '${publishUrl}' > /dev/null 2>&1 &`;
    const command = `kill -TERM ${application.command.pid}; sleep 1; ${again}`;
    const at = `http://127.0.0.1:${port}/_broadcast`;
    const more = ['--application', 'standalone', '--restart-command', command];
    const where = [...targetFlags(target).slice(0, 2), '--publish-url', at, '--protocol', 'ws-json'];
    return { ended: await place.run(['run', 'deploy', ...where, ...flags(37, more)]), target };
  }

  it('is redeployed by its own command, and known by the publishes that found nobody', async () => {
    const { ended } = await redeployed('servers/ws/main.js');
    const { books } = noneDropped(ended, 37);
    expect(books).toMatchObject({ applicationProcesses: 0, replacedProcesses: 0 });
    expect(books.unpublished).toBeGreaterThan(0);
  });

  it('before a target of known truth: what was lost, doubled and never published is what that says itself', async () => {
    const orders = ['--drop=0.05', '--duplicate=0.05', '--seed=11'];
    const { ended, target } = await redeployed('servers/metronome/main.js', orders);
    const { books } = soundBooks(ended, 37);
    const { totals } = await recordOf(target, warmUp);
    expect(totals).toMatchObject({ isWhole: true, pending: 0, gone: 0, refusedPublishes: 0 });
    expect(totals.dropped * totals.duplicated).toBeGreaterThan(0);
    expect(books).toMatchObject({
      ...{ acked: totals.broadcasts, unpublished: broadcasts - totals.broadcasts, expected: totals.owed },
      ...{
        delivered: totals.delivered,
        lost: totals.dropped,
        lostOnline: totals.dropped,
        duplicate: totals.duplicated,
      },
      ...{ dropped: 0, neverCut: 37, replayed: 0 },
    });
    expect(books.unpublished).toBeGreaterThan(0);
  });
});
