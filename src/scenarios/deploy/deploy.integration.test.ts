import { describe, expect, it } from 'vitest';
import { recordOf } from '../../../test/known-truth.js';
import { named } from '../../../test/refusal.js';
import {
  allDropped,
  anycable,
  broadcasts,
  flags,
  managed,
  place,
  redeployed,
  soundBooks,
  warmUp,
} from '../../../test/runs/deploy.js';

describe.concurrent('an application that lives in its target', () => {
  it('of several processes is redeployed one by one, and publishes go on', async () => {
    const ended = await managed('uws', flags(61, ['--target-processes', '3', '--pause', '300ms']));
    const books = allDropped(ended, 61, 3);
    expect(books).toMatchObject({ acked: broadcasts, unpublished: 0 });
  });
});

describe.concurrent('an application that stands alone', () => {
  it('is the only one that AnyCable has', async () => {
    const flagsOfRun = ['run', 'deploy', '--target', 'anycable', ...flags(37, ['--application', 'embedded'])];
    const env = anycable === undefined ? {} : { ANYCABLE_GO_BIN: anycable };
    expect(await place.refused(flagsOfRun, env)).toEqual([named('badOption', 'anycable')]);
  });
});

describe.concurrent('an application of somebody', () => {
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
