import { describe, expect, it } from 'vitest';
import { recordOf } from '../../../test/known-truth.js';
import { soundResult, targetFlags } from '../../../test/latency.js';
import {
  allDropped,
  broadcasts,
  flags,
  noneDropped,
  ours,
  place,
  redeployed,
  soundBooks,
  warmUp,
} from '../../../test/runs/deploy.js';

describe.concurrent('an application that lives in its target', () => {
  it('of several processes is redeployed one by one, and publishes go on', async () => {
    const ended = await ours('uws', flags(61, ['--target-processes', '3', '--pause', '300ms']));
    const books = allDropped(ended, 61, 3);
    expect(books).toMatchObject({ acked: broadcasts, unpublished: 0 });
  });
});

describe.concurrent('an application that stands alone', () => {
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

  it('is the only one that AnyCable has', async () => {
    const ended = await ours('anycable', flags(37, ['--application', 'embedded']));
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain('no application lives in anycable');
  });
});

describe.concurrent('a redeploy that nothing shows', () => {
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
  it('finds what a target of known truth lost, doubled and never published', async () => {
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
