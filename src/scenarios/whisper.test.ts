import { describe, expect, it } from 'vitest';
import { expectGolden, ledgerText } from '../../test/golden.js';
import { playedSenders, sendersOnStage } from '../../test/stage/senders.js';
import { loadOptions } from './load-options.js';
import { whisper, whisperLedger } from './whisper.js';

/** Two rooms of three and two, over two shards; one delivery was lost, and a sender got its own once. */
const footing = () => ({
  counts: { attempted: 13, unsent: 1, owed: 22, delivered: 21, lost: 1, stray: 2, echoed: 1, untimed: 2 },
  causes: { unsent: { gone: 1 } },
  ...{ timeline: {}, series: {}, longestMs: { arrivals: 3003 } },
});

describe('the ledger of whispers', () => {
  it('foots', async () => {
    const { entries, breaks } = whisperLedger.ledger(footing());
    expect(breaks).toEqual([]);
    expect(entries).toMatchObject({ sent: 13, expected: 22, delivered: 21, lost: 1, stray: 3 });
    const unlearned = whisperLedger.ledgerLines({ ...entries, unlearned: 1 }).slice(-1);
    await expectGolden('ledger/whisper.txt', {
      'a whole run': ledgerText(whisperLedger.ledgerLines(entries)),
      'a shard did not tell what it sent': ledgerText(unlearned),
    });
    expect(whisperLedger.ledger({ counts: {}, causes: {}, series: {}, timeline: {} }).breaks).toEqual([]);
  });

  it.each(['owed', 'delivered', 'lost', 'unsent'] as const)('breaks when %s is off by one', (name) => {
    for (const off of [-1, 1]) {
      const { counts, ...sums } = footing();
      const { breaks } = whisperLedger.ledger({ ...sums, counts: { ...counts, [name]: counts[name] + off } });
      expect(breaks).toHaveLength(1);
    }
  });
});

describe('the whisper scenario', () => {
  it('demands the ramp, the schedule with its warm-up, and the drain', () => {
    const options = whisper.options.parse({
      ...{ clients: 1009, rampRatePerSecond: 250, durationMs: 7000, ratePerSecond: 2, warmUp: 3, drainMs: 1999 },
    });
    expect(whisper.demand(options, loadOptions.parse({}))).toMatchObject({
      clients: 1009,
      publishesPerSecond: 0,
      durationMs: 4036 + 8500 + 1999,
    });
    // 17 whispers of each take one block of numbers.
    expect(whisper.mostMarks?.(options, 1)).toBe(1009 * 32);
    // A shard has room for its own clients, or many shards could never hold what one can't.
    expect(whisper.mostMarks?.(options, 100)).toBe(11 * 32);
  });

  it('takes each client into the room of its number, and records what it declares', async () => {
    const { streams, roles } = await playedSenders(whisper, { workers: 3, clientCount: 10 });
    expect(streams).toEqual([0, 0, 0, 0, 1, 1, 1, 1, 2, 2].map((room) => `spring-${room}`));
    expect(roles[0]!.progress()).toHaveProperty('subscribers', 4);
    expect(Object.keys(roles[0]!.report().samples).sort()).toEqual(Object.keys(whisper.metrics).sort());
  });

  it('owes a client that is cut what the others send, and none that is cut in the ramp', async () => {
    for (const isInRamp of [true, false]) {
      let isCut = false;
      const cut = { lost: 0 };
      const set = await sendersOnStage(whisper, {
        answer({ isMeasured }, receiver) {
          const isGone = isCut && receiver === 3;
          if (isGone && isMeasured) cut.lost++;
          return isGone ? [] : [3];
        },
      });
      const end = (): void => {
        isCut = true;
        set.cut(3);
      };
      await set.stage('ramp');
      if (isInRamp) end();
      else set.at(503, end);
      for (const name of ['whisper', 'drain']) await set.stage(name);
      const { entries } = set.books();
      const unsent = Number(entries.unsent);
      const lost = isInRamp ? 0 : cut.lost;
      // Four clients whisper to three others each, and three to two.
      const expected = 10 * (4 * 3 + 3 * 2) - unsent * 3 - (isInRamp ? 10 * 3 : 0);
      expect(entries).toMatchObject({ expected, lost, delivered: expected - lost, unsentByCause: { gone: unsent } });
      expect([lost > 0, unsent === 10]).toEqual([!isInRamp, isInRamp]);
    }
  });
});
