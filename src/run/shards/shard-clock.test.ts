import { expect, it } from 'vitest';
import { memberOf, tells } from '../../../test/members.js';
import type { ShardInfo } from '../../contract/shard.js';
import { Member } from './member.js';
import { NoAnswer } from './partial-body.js';
import type { ShardClient } from './shard-client.js';
import { type ClockSample, clockOffsetOf, exchangeSends, monotonicOffsetOf, sampleClock } from './shard-clock.js';

/** A look that took so long, at a shard whose clock is ahead. */
function look(tripMs: number, aheadMs: number): ClockSample {
  const [sentMs, wallMs] = [7919, 1_763_900_000_000];
  return {
    sentMs,
    driver: { wallMs: wallMs + tripMs, monotonicMs: sentMs + tripMs },
    shard: { wallMs: wallMs + tripMs / 2 + aheadMs, monotonicMs: 101 },
    holder: null,
  };
}

it('an offset is that of the closest look, known to half its way and a reading', () => {
  expect(clockOffsetOf([look(43, 90), look(7, -61_003), look(31, 0)])).toEqual({
    clock: { offsetMs: -61_003, uncertaintyMs: 3.5 + 1 },
    roundTrip: { medianMs: 31, worstMs: 43, asked: 3 },
  });
  expect(() => clockOffsetOf([])).toThrow(RangeError);
});

it('a monotonic clock is that of the closest look, too, known to half its way', () => {
  const looks = [look(43, 0), look(8, 0), look(31, 0)];
  expect(monotonicOffsetOf(looks)).toEqual({ aheadMs: 101 - (7919 + 4), errorMs: 4 });
});

it('a clock is read between the question and the answer', async () => {
  const holder = { runId: '5eed0007', driver: 'ada@laptop/7', heldMs: 7 };
  const now: ShardClient['now'] = async () => ({ wallMs: 0, monotonicMs: performance.now(), holder });
  const { sentMs, driver, shard, ...more } = await sampleClock({ now });
  expect(sentMs).toBeLessThanOrEqual(shard.monotonicMs);
  expect(shard.monotonicMs).toBeLessThanOrEqual(driver.monotonicMs);
  expect(more).toEqual({ holder });
});

/** A shard with that clock that has its name as its sends, and keeps what it learns. */
function shardOf(name: string, clockId: string, aheadMs = 0, answers: object = {}) {
  const learned: [string, object][] = [];
  const { client } = memberOf({
    sends: async () => Buffer.from(name),
    learn: async (_job: string, sends: Uint8Array, clock: object) => {
      learned.push([Buffer.from(sends).toString(), clock]);
    },
    now: async () => ({ wallMs: 0, monotonicMs: performance.now() + aheadMs, holder: null }),
    ...answers,
  });
  return { member: new Member(client, { clockId } as ShardInfo, 'job', 30_000), learned };
}

it('each shard learns the sends of all others, once', async () => {
  const shards = ['a', 'b', 'c'].map((name) => shardOf(name, 'one clock'));
  await exchangeSends(shards.map(({ member }) => member));
  const other = (...names: string[]) => names.map((name) => [name, {}]);
  expect(shards.map(({ learned }) => learned)).toEqual([other('b', 'c'), other('a', 'c'), other('a', 'b')]);
});

it('between two clocks it says what to add to a stamp, and how wrong that may be', async () => {
  const [one, other] = [shardOf('a', 'one', 5000), shardOf('b', 'other', -2000)];
  await exchangeSends([one.member, other.member]);
  const [[, clock]] = other.learned as [[string, { shiftMs: number; errorMs: number }]];
  expect(Math.abs(clock.shiftMs + 7000)).toBeLessThanOrEqual(clock.errorMs);
  expect(one.learned).toHaveLength(1);
});

it('a shard that is lost or silent neither gives nor stops the others', async () => {
  const silent = async () => {
    throw new NoAnswer('no answer');
  };
  const shards = [
    shardOf('a', 'one clock'),
    shardOf('b', 'one clock', 0, { sends: silent }),
    shardOf('c', 'one clock'),
    shardOf('d', 'one clock'),
  ];
  tells((shards[3] as (typeof shards)[0]).member, {}).lost = 'did not answer';
  await exchangeSends(shards.map(({ member }) => member));
  expect(shards.map(({ learned }) => learned.map(([name]) => name))).toEqual([['c'], ['a', 'c'], ['a'], []]);
  const deaf = [shardOf('a', 'one'), shardOf('b', 'other', 0, { now: silent })];
  await exchangeSends(deaf.map(({ member }) => member));
  expect(deaf.map(({ learned }) => learned)).toEqual([[], []]);
});
