import { describe, expect, it } from 'vitest';
import { recordOf } from '../../../test/known-truth.js';
import {
  allDropped,
  anycable,
  broadcasts,
  flags,
  managed,
  noneDropped,
  redeployed,
  soundBooks,
  warmUp,
} from '../../../test/runs/deploy.js';

describe.concurrent('an application that lives in its target', () => {
  it.each([
    ['ws', 1, []],
    ['socketio', 1, ['--by', 'kill']],
    ['uws', 2, []],
  ])('takes every connection with it, and all come back: %s over %i shard(s) %j', async (target, shards, more) => {
    allDropped(await managed(target, flags(37, more), shards), 37);
  });
});

describe.concurrent('an application that stands alone', () => {
  it('drops nobody: what it did not publish is the cost', async () => {
    const ended = await managed('socketio', flags(37, ['--application', 'standalone', '--down', '3s']));
    const { result, books } = noneDropped(ended, 37);
    expect(books).toMatchObject({ applicationProcesses: 1, replacedProcesses: 1, replacedTargets: 0 });
    // Thirty are due while nobody listens; a machine that was held up may send some of them late.
    expect(books.unpublished).toBeGreaterThanOrEqual(9);
    expect(result.metrics.gap?.min).toBeGreaterThanOrEqual(1_000_000);
    expect(result.target.settings).toMatchObject({ application: 'standalone', applicationProcesses: 1 });
  });

  it('of several processes is redeployed one by one, and publishes go to the others', async () => {
    const more = ['--application', 'standalone', '--application-processes', '3', '--pause', '300ms'];
    const { books } = noneDropped(await managed('ws', flags(37, more), 2), 37);
    expect(books).toMatchObject({ applicationProcesses: 3, replacedProcesses: 3 });
    // No more than what was under way on a connection as it closed.
    expect(books.unpublished).toBeLessThanOrEqual(3);
  });

  it.skipIf(anycable === undefined)('is how AnyCable has it (set ANYCABLE_GO_BIN)', async () => {
    const { books } = noneDropped(await managed('anycable', flags(37, ['--down', '3s'])), 37);
    expect(books).toMatchObject({ applicationProcesses: 1, replacedProcesses: 1 });
    expect(books.unpublished).toBeGreaterThanOrEqual(9);
  });
});

describe.concurrent('an application of somebody', () => {
  it('is redeployed by its own command, and known by the publishes that found nobody', async () => {
    const { ended } = await redeployed('servers/ws/main.js');
    const { books } = noneDropped(ended, 37);
    expect(books).toMatchObject({ applicationProcesses: 0, replacedProcesses: 0 });
    expect(books.unpublished).toBeGreaterThan(0);
  });

  it('before a target of known truth: what was lost, doubled and never published is in its record', async () => {
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
