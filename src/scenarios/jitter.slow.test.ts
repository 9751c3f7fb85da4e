import { describe, expect, it } from 'vitest';
import { broadcastBooks, targetFlags } from '../../test/latency.js';
import { shown } from '../../test/live.js';
import {
  anycableGo,
  entry,
  held,
  jitterFlags,
  losesNothing,
  losesWhatWasMissed,
  measure,
  place,
  subscribers,
} from '../../test/runs/jitter.js';
import { keptResult } from '../../test/workplace.js';
import type { RunResult } from '../results/result.js';

describe.concurrent('a run of jitter', () => {
  describe('subscribers that lose their network', () => {
    it.for([
      ['ws', 'reset', 1],
      ['ws', 'vanish', 2],
      ['uws', 'close', 3],
      ['socketio', 'reset', 1],
    ] as const)('of %s, by %s, over %i shard(s), lose what they missed', async ([target, drop, shards]) => {
      losesWhatWasMissed(await measure(jitterFlags('--target', target, '--drop', drop), shards));
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

  // Wire clients by each way to drop, and before each target; each library by a way that its server learns of, or not.
  describe('the same with the real client library', () => {
    it('of ws by vanish loses what was missed', async () => {
      losesWhatWasMissed(await measure(jitterFlags('--target', 'ws', '--drop', 'vanish', '--client', 'library')));
    });

    it('of Socket.IO with recovery, by reset, loses nothing', async () => {
      losesNothing(await measure(jitterFlags('--target', 'socketio-csr', '--client', 'library', '--drop', 'reset')));
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

  describe('against a target of known truth', () => {
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

  describe('a target', () => {
    it('of Socket.IO with recovery, by a close, over two shards, loses nothing', async () => {
      losesNothing(await measure(jitterFlags('--target', 'socketio-csr', '--drop', 'close'), 2));
    });

    it('that ends while its clients are away is gone, and they are counted by cause', () =>
      place.fleet.lend(1, async (env) => {
        const target = await place.serve('servers/ws/main.js');
        const driver = place.ringside(['run', 'jitter', '--watch', ...targetFlags(target), ...jitterFlags()], {
          ...env,
        });
        await shown(driver, ({ figures }) => (figures.drops ?? 0) > 0);
        target.command.kill('SIGKILL');
        const ended = await driver.ended;
        const result = keptResult(ended);
        expect([ended.code, result.stop.code, result.verdict.rig]).toEqual([4, 'targetGone', 'void']);
        expect(result.verdict.evidence.map(({ rule }) => rule)).not.toContain('ledger-broken');
        expect(result.ledger.notBack).toBe(subscribers);
      }));
  });
});
