import { beforeEach, describe, expect, it } from 'vitest';
import { ScriptedLoop } from '../../test/doubles/scripted-loop.js';
import { DeliveryBatcher, Turns } from './turns.js';

interface Seen {
  notBeforeNs: number;
  deliveries: number[][];
}

let loop: ScriptedLoop;
let turns: Turns;
let seen: Seen[];
let batcher: DeliveryBatcher;

function make(capacity: number, whileHanded: () => void = () => undefined, wakeNs = 0): void {
  loop = new ScriptedLoop();
  turns = new Turns(loop, wakeNs);
  seen = [];
  batcher = new DeliveryBatcher(
    (batch) => {
      const { client, sequence, receivedAtNs, flags } = batch;
      const columns = [client, sequence, receivedAtNs, flags];
      const deliveries = Array.from({ length: batch.count }, (_, i) => columns.map((column) => column[i]!));
      seen.push({ notBeforeNs: Math.min(...batch.notBeforeNs.subarray(0, batch.count)), deliveries });
      whileHanded();
    },
    capacity,
    turns,
  );
  // As the opening of a client does.
  turns.begin();
  loop.checkPhase();
}

/** One read with one delivery; gives its stamp. */
function read(client = 3): number {
  batcher.stamp();
  batcher.add(client, 5, 0);
  return batcher.lastStampNs;
}

/** One turn with such a read. */
function turn(): number {
  const receivedAtNs = read();
  loop.checkPhase();
  return receivedAtNs;
}

beforeEach(() => make(7));

describe('batches', () => {
  it('hands the deliveries of a turn over in its check phase, in order', () => {
    loop.sleep(11);
    batcher.stamp();
    batcher.add(2, 17, 0);
    batcher.add(2, 19, 1);
    loop.work(13);
    batcher.stamp();
    batcher.add(5, 17, 2);
    expect(seen).toEqual([]);
    loop.checkPhase();
    expect(seen.map((batch) => batch.deliveries)).toEqual([
      [
        [2, 17, 1020, 4],
        [2, 19, 1020, 5],
        [5, 17, 1033, 6],
      ],
    ]);
    loop.checkPhase();
    expect(seen.length).toBe(1);
  });

  it('hands a full batch over at once, with the same notBeforeNs for every part of the turn', () => {
    loop.sleep(11);
    for (let i = 0; i < 17; i++) {
      loop.work(1);
      read(i);
    }
    loop.checkPhase();
    expect(seen.map((batch) => batch.deliveries.length)).toEqual([7, 7, 3]);
    expect(seen.flatMap((batch) => batch.deliveries.map(([client]) => client))).toEqual(
      Array.from({ length: 17 }, (_, i) => i),
    );
    expect(new Set(seen.map((batch) => batch.notBeforeNs))).toEqual(new Set([1020]));
  });

  it('hands over nothing that was discarded, and nothing for a turn without deliveries', () => {
    read();
    batcher.discard();
    loop.checkPhase();
    batcher.stamp();
    loop.checkPhase();
    expect([seen, batcher.handedOver]).toEqual([[], 0]);
  });
});

describe('notBeforeNs', () => {
  it('is the wake when the loop slept before the turn', () => {
    loop.sleep(1_000);
    const wokeAtNs = loop.nowNs();
    read();
    loop.work(50);
    turn();
    expect(seen[0]!.notBeforeNs).toBe(wokeAtNs);
  });

  it('is the poll of the turn before when the loop did not sleep', () => {
    loop.sleep(1_000);
    read();
    loop.work(300);
    loop.checkPhase();
    const polledAtNs = loop.nowNs();
    loop.work(7);
    read();
    loop.work(500);
    loop.checkPhase();
    turn();
    // The second turn's frames may have come right after the first's poll, at 2009; the third's right after the
    // second's.
    expect(seen.map((batch) => batch.notBeforeNs)).toEqual([2009, 2009, polledAtNs]);
  });

  it('counts a loop blocked between sleep and read as our own delay, in the same turn or an earlier one', () => {
    turn();
    loop.sleep(1_000);
    const wokeAtNs = loop.nowNs();
    loop.work(200_000); // a timer's callback, in a turn without reads
    const receivedAtNs = turn();
    expect(seen[1]!.notBeforeNs).toBe(wokeAtNs);
    expect(receivedAtNs - wokeAtNs).toBe(200_000);
  });

  it('is never later than the true moment, whatever the loop did since the last turn with reads', () => {
    turn();
    for (const ns of [11, 13, 17]) {
      loop.sleep(ns * 1000);
      loop.work(ns);
    }
    loop.sleep(19_000);
    const wokeAtNs = loop.nowNs();
    turn();
    // Work in turns without reads (41 ns here) can only make the bound older.
    expect(seen[1]!.notBeforeNs).toBe(wokeAtNs - 41);
  });

  it('takes off what a wake may take, of a sleep only', () => {
    make(7, undefined, 101);
    loop.sleep(1_000);
    const wokeAtNs = loop.nowNs();
    turn();
    const polledAtNs = loop.nowNs();
    turn();
    turn();
    expect(seen.map((batch) => batch.notBeforeNs)).toEqual([wokeAtNs - 101, wokeAtNs - 101, polledAtNs]);
  });

  it('takes off the time that the thread was ready and had no core, once', () => {
    turn();
    loop.sleep(1_000);
    const wokeAtNs = loop.nowNs();
    loop.waitForCore(52_000);
    const receivedAtNs = turn();
    loop.sleep(700);
    turn();
    expect(receivedAtNs - wokeAtNs).toBe(52_000);
    expect(seen.slice(1).map((batch) => batch.notBeforeNs)).toEqual([wokeAtNs, loop.nowNs()]);
  });

  it('is where the loop fell asleep, if it slept beyond its next tick: a stop may have begun there', () => {
    for (const stoppedMs of [13, 500]) {
      make(7);
      turns.tick(10e6);
      loop.checkPhase();
      const asleepFromNs = loop.nowNs();
      loop.stop(stoppedMs * 1e6);
      const receivedAtNs = turn();
      expect([seen[0]!.notBeforeNs, receivedAtNs]).toEqual([asleepFromNs, asleepFromNs + stoppedMs * 1e6]);
    }
  });

  it('is where a stopped loop fell asleep also for what it reads in the turn after, and no earlier than that', () => {
    turns.tick(10e6);
    loop.checkPhase();
    loop.sleep(3e6);
    turn();
    const asleepFromNs = loop.nowNs();
    loop.stop(500e6);
    turns.tick(10e6);
    turn();
    turn();
    loop.sleep(7e6);
    const wokeAtNs = loop.nowNs();
    turn();
    expect(seen.slice(1).map((batch) => batch.notBeforeNs)).toEqual([asleepFromNs, asleepFromNs, wokeAtNs]);
  });

  it('is the wake of a tick as late as timers are, and of one that a wait for a core or work made later', () => {
    const late: ((ns: number) => void)[] = [(ns) => loop.waitForCore(ns), (ns) => loop.work(ns)];
    for (const delay of late) {
      make(7);
      turns.tick(10e6);
      loop.checkPhase();
      loop.sleep(11.9e6);
      const wokeAtNs = loop.nowNs();
      delay(500e6);
      turn();
      expect(seen[0]!.notBeforeNs).toBe(wokeAtNs);
    }
  });

  it('is never before the loop fell asleep, however long its thread waited', () => {
    turn();
    const asleepFromNs = loop.nowNs();
    loop.waitForCore(5_000);
    loop.work(3_000);
    loop.waitForCore(2_000);
    turn();
    expect(seen[1]!.notBeforeNs).toBe(asleepFromNs);
  });

  it('leaves out what the thread waited while it was awake: that is no sleep', () => {
    make(7, () => loop.starve(5_000));
    read();
    loop.starve(3_000);
    loop.checkPhase();
    loop.sleep(9_000);
    const wokeAtNs = loop.nowNs();
    turn();
    expect(seen[1]!.notBeforeNs).toBe(wokeAtNs);
  });

  it('knows of every turn that somebody told it of, whatever ran there', () => {
    turn();
    for (const ns of [11, 13, 17]) {
      loop.waitForCore(ns * 1000);
      turns.begin();
      loop.work(ns);
      loop.checkPhase();
    }
    loop.sleep(19_000);
    const wokeAtNs = loop.nowNs();
    turn();
    expect(seen[1]!.notBeforeNs).toBe(wokeAtNs);
  });

  it('is the same for all who read in a turn, and each is handed its own', () => {
    const also: number[] = [];
    const other = new DeliveryBatcher((batch) => also.push(batch.notBeforeNs[0]!, batch.count), 7, turns);
    loop.sleep(1_000);
    const wokeAtNs = loop.nowNs();
    turns.begin();
    loop.work(500);
    read();
    loop.work(300);
    other.stamp();
    other.add(2, 3, 0);
    loop.checkPhase();
    expect([seen[0]!.notBeforeNs, seen[0]!.deliveries.length, ...also]).toEqual([wokeAtNs, 1, wokeAtNs, 1]);
  });

  it('knows turns whose reads brought no delivery', () => {
    loop.sleep(1_000);
    batcher.stamp();
    loop.work(300);
    loop.checkPhase();
    turn();
    expect(seen[0]!.notBeforeNs).toBe(2009);
  });

  it('does not count the time that a batch takes to hand over as sleep', () => {
    make(7, () => loop.work(5_000));
    loop.sleep(1_000);
    turn();
    loop.sleep(70);
    const wokeAtNs = loop.nowNs();
    turn();
    expect(seen[1]!.notBeforeNs).toBe(wokeAtNs);
  });
});
