import { expect, it } from 'vitest';
import { type audienceOnStage, halfMinute, numbers, played, valuesOf } from '../../../test/stage/jitter.js';
import { jitterLedger } from '../jitter.js';
import { dropInstants } from '../roster/drops.js';

const broadcasts = 120;
const sentMs = (sequence: number): number => sequence * 250;
const schedule = { everyMs: 9000, spread: 'fixed' } as const;
const given = { clientCount: 2, broadcasts, options: schedule };
const dropsOf = (client: number): number[] => dropInstants(client, { ...halfMinute, ...schedule });
/** What is sent while the client is dropped, by its schedule; drops and returns come up to 20 ms later than that. */
const isAway = (client: number, sequence: number): boolean =>
  dropsOf(client).some((dropMs) => dropMs <= sentMs(sequence) && sentMs(sequence) < dropMs + 2020);

/** Sends everything on time; each client that `isHeard` names for it gets it 2 ms later. */
function broadcast(
  stage: ReturnType<typeof audienceOnStage>,
  beginMs: number,
  isHeard: (client: number, sequence: number) => boolean,
): void {
  for (const sequence of numbers(broadcasts)) {
    stage.send(sequence, beginMs + sentMs(sequence));
    const heard = numbers(2).filter((client) => isHeard(client, sequence));
    stage.at(beginMs + sentMs(sequence) + 2, () => stage.deliver(heard, sequence, sequence + 1));
  }
}

/** The books as if a publisher had been answered every time. */
function booksOf(report: Awaited<ReturnType<typeof played>>['report']) {
  const acked = new Uint32Array(broadcasts).fill(1);
  const counts = { ...report.counts, attempted: broadcasts };
  return jitterLedger.ledger({ ...report, counts, series: { ...report.series, acked } });
}

/** Three drops of each, of eight broadcasts or nine. */
const lost = numbers(2).flatMap((client) => numbers(broadcasts).filter((sequence) => isAway(client, sequence))).length;

it('what is sent to a client that is away is lost while offline, and nothing while online', async () => {
  const { report } = await played(given, (stage, beginMs) =>
    broadcast(stage, beginMs, (client, sequence) => !isAway(client, sequence)),
  );
  const { entries, breaks } = booksOf(report);
  expect(breaks).toEqual([]);
  expect(lost).toBeGreaterThanOrEqual(6 * 8);
  expect(entries).toMatchObject({
    expected: 240,
    live: 240 - lost,
    replayed: 0,
    lost,
    lostOffline: lost,
    lostOnline: 0,
  });
});

it('what a target loses of a client that is there is lost while online', async () => {
  const dropped = numbers(broadcasts).filter((sequence) => sequence % 17 === 3 && !isAway(1, sequence));
  const { report } = await played(given, (stage, beginMs) =>
    broadcast(stage, beginMs, (client, sequence) => {
      return !isAway(client, sequence) && !(client === 1 && dropped.includes(sequence));
    }),
  );
  const { entries, breaks } = booksOf(report);
  expect(breaks).toEqual([]);
  expect(dropped.length).toBeGreaterThan(4);
  expect(entries).toMatchObject({ lostOffline: lost, lostOnline: dropped.length, lost: lost + dropped.length });
});

it('what is replayed after the return is delivered, and timed apart, from its publish on', async () => {
  const { report } = await played(given, (stage, beginMs) => {
    broadcast(stage, beginMs, (client, sequence) => !isAway(client, sequence));
    for (const client of numbers(2)) {
      for (const dropMs of dropsOf(client)) {
        const missed = numbers(broadcasts).filter(
          (sequence) => isAway(client, sequence) && Math.abs(sentMs(sequence) - dropMs) < 2500,
        );
        stage.at(beginMs + dropMs + 2030, () => {
          for (const sequence of missed) stage.deliver([client], sequence, sequence + 1);
        });
      }
    }
  });
  const { entries, breaks } = booksOf(report);
  expect(breaks).toEqual([]);
  expect(entries).toMatchObject({ expected: 240, live: 240 - lost, replayed: lost, lost: 0, duplicate: 0 });
  const replayed = valuesOf(report.samples.replayed);
  expect(replayed).toHaveLength(lost);
  expect(Math.max(...replayed)).toBeLessThanOrEqual(2_030_000);
  expect(valuesOf(report.samples.delivery)).toEqual(Array(240 - lost).fill(2000));
});
