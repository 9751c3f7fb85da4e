import { describe, expect, it } from 'vitest';
import { broadcastBooks } from '../../../test/latency.js';
import {
  anycableGo,
  entry,
  held,
  jitterFlags,
  losesNothing,
  losesWhatWasMissed,
  measure,
} from '../../../test/runs/jitter.js';
import type { RunResult } from '../../results/result.js';

describe.concurrent('subscribers that lose their network', () => {
  it.for([
    ['ws', 'reset', 1],
    ['ws', 'vanish', 2],
    ['uws', 'close', 3],
    ['socketio', 'reset', 1],
  ] as const)('of %s, by %s, over %i shard(s), lose what they missed', async ([target, drop, shards]) => {
    losesWhatWasMissed(await measure(jitterFlags('--target', target, '--drop', drop), shards));
  });

  it('of Socket.IO with recovery, by a reset, lose nothing', async () => {
    losesNothing(await measure(jitterFlags('--target', 'socketio-csr', '--drop', 'reset')));
  });

  it('of Socket.IO with recovery lose it after all when the server never learned that they were gone', async () => {
    losesWhatWasMissed(await measure(jitterFlags('--target', 'socketio-csr', '--drop', 'vanish')));
  });

  it('are dropped at the same instants however they are split', async () => {
    const one = await measure(jitterFlags('--target', 'uws'));
    const three = await measure(jitterFlags('--target', 'uws', '--workers', '2'), 3);
    const books = ({ ledger: { planned, drops, skipped, attempts, expected } }: RunResult) => ({
      ...{ planned, drops, skipped, attempts, expected },
    });
    expect(books(three)).toEqual(books(one));
  });
});

describe.concurrent('the same with the real client library', () => {
  it.for([
    ['ws', 'reset'],
    ['ws', 'vanish'],
    ['uws', 'vanish'],
    ['socketio-csr', 'vanish'],
  ] as const)('of %s by %s loses what was missed', async ([target, drop]) => {
    losesWhatWasMissed(await measure(jitterFlags('--target', target, '--drop', drop, '--client', 'library')));
  });

  it.for(['reset', 'close'] as const)('of Socket.IO with recovery, by %s, loses nothing', async (drop) => {
    losesNothing(await measure(jitterFlags('--target', 'socketio-csr', '--client', 'library', '--drop', drop)));
  });

  it.skipIf(anycableGo === undefined)('of AnyCable (a real one, where ANYCABLE_GO_BIN names it)', async () => {
    const flags = ['--target', 'anycable', '--client', 'library'];
    losesNothing(await measure(jitterFlags(...flags), 1, { ANYCABLE_GO_BIN: anycableGo }));
  });
});

it.skipIf(anycableGo === undefined).for(['reset', 'vanish'] as const)(
  'subscribers of AnyCable, by %s, lose nothing (a real one, where ANYCABLE_GO_BIN names it)',
  async (drop) => {
    const flags = ['--target', 'anycable', '--drop', drop];
    losesNothing(await measure(jitterFlags(...flags), 1, { ANYCABLE_GO_BIN: anycableGo }));
  },
);

describe.concurrent('against a target of known truth', () => {
  it('that loses nothing by itself: all that is lost was not owed, or written to a gone connection', async () => {
    const { result, totals } = await held([], 2);
    losesWhatWasMissed(result);
    const { expected, delivered, lost } = broadcastBooks(result);
    expect(totals.dropped).toBe(0);
    // A delivery can be written in the very instant in which its client is dropped.
    const underWay = totals.delivered - delivered;
    expect(lost).toBe(expected - totals.owed + totals.gone + underWay);
    expect(underWay).toBeGreaterThanOrEqual(0);
    expect(underWay).toBeLessThanOrEqual(entry(result, 'drops'));
  });
});
