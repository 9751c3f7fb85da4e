import { expect, it } from 'vitest';
import { memberOf, tells } from '../../../test/members.js';
import type { ShardInfo } from '../../contract/shard.js';
import { Member } from './member.js';
import { NoAnswer } from './partial-body.js';
import { exchangeSends } from './shard-clock.js';

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
