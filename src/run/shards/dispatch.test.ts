import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { memberOf } from '../../../test/members.js';
import { named, naming } from '../../../test/refusal.js';
import { ProblemError, problem } from '../../contract/problems.js';
import type { ShardHolder, ShardNow } from '../../contract/shard.js';
import { leastFirst, postAll, untilFree, whenFree } from './dispatch.js';
import type { Member } from './member.js';
import { NoAnswer } from './partial-body.js';
import { type ShardClient, thisDriver } from './shard-client.js';

const calls = new Map<string, string[]>();

/** A shard of that name, which took its job; its calls are counted. */
function taker(url: string): Member {
  const heard: string[] = [];
  calls.set(url, heard);
  const hear = (call: string) => async () => ({ state: heard.push(call) > 0 && 'running' });
  return memberOf({ url, status: hear('status'), end: hear('cancel') });
}

/** Answers once that shard was asked for its state three times. */
async function afterPollsOf(url: string): Promise<void> {
  while ((calls.get(url)?.length ?? 0) < 3) await delay(10);
}

it('polls a shard that took its job while another has not answered yet', async () => {
  const members = await postAll(['first', 'last'], async (url) => {
    if (url === 'last') await afterPollsOf('first');
    return taker(url);
  });
  expect(members.map(({ url }) => url)).toEqual(['first', 'last']);
  expect(calls.get('last')).toEqual([]);
});

it('cancels a shard that took its job when another refuses late', async () => {
  const refused = problem('shardBusy', 'busy');
  const posting = postAll(['taker', 'refuser'], async (url) => {
    if (url === 'taker') return taker(url);
    await afterPollsOf('taker');
    throw new ProblemError([refused]);
  });
  await expect(posting).rejects.toMatchObject({ problems: [refused] });
  expect(calls.get('taker')?.filter((call) => call === 'cancel')).toHaveLength(1);
});

const busy = new ProblemError([problem('shardBusy', 'busy')]);
const interrupt = new AbortController().signal;
const bootIds = ['7', '3', '5', '2', '11'];

/** Shards that the first who asks gets; each answers after a time of its own. */
function shardsOf(holders: (string | undefined)[]) {
  return async (driver: string, index: number): Promise<string> => {
    await delay((index * 7 + driver.length * 3) % 11);
    if (holders[index] !== undefined && holders[index] !== driver) throw busy;
    holders[index] = driver;
    return driver;
  };
}

it('of two drivers that want the same shards at once one gets them all, and the other none', async () => {
  const holders = bootIds.map((): string | undefined => undefined);
  const take = shardsOf(holders);
  const drivers = ['ada', 'charles'];
  const ends = await Promise.all(
    drivers.map((driver) => {
      const inTurn = leastFirst(bootIds, (index) => take(driver, index));
      return Promise.allSettled(bootIds.map((_, index) => inTurn(index)));
    }),
  );
  const taken = ends.map((each) => each.filter(({ status }) => status === 'fulfilled').length);
  expect(taken.sort()).toEqual([0, bootIds.length]);
  expect(new Set(holders).size).toBe(1);
});

it('of two drivers that want the same shards at once the other tries again while its time lasts', async () => {
  let tries = 0;
  const take = async (): Promise<string> => {
    if (++tries < 2) throw busy;
    return 'taken';
  };
  await expect(whenFree([], take, { interrupt })).rejects.toBe(busy);
  tries = 0;
  expect(await whenFree([], take, { interrupt, waitMs: 60_000 })).toBe('taken');
  expect(tries).toBe(2);
});

it('what else is wrong with the first shard is asked of all', async () => {
  const wrong = new ProblemError([problem('overLimit', 'too many')]);
  const asked: number[] = [];
  const inTurn = leastFirst(bootIds, (index) => {
    asked.push(index);
    return Promise.reject(wrong);
  });
  await Promise.allSettled(bootIds.map((_, index) => inTurn(index)));
  expect(asked.sort()).toEqual([0, 1, 2, 3, 4]);
});

describe('a fleet', () => {
  const shard = (url: string, now: () => Promise<ShardHolder | null>): ShardClient =>
    ({
      url,
      now: async (): Promise<ShardNow> => ({ wallMs: 0, monotonicMs: 0, holder: await now() }),
    }) as unknown as ShardClient;
  const other: ShardHolder = { runId: '5eed0007', driver: 'ada@laptop/7', heldMs: 7001 };

  it('is refused while others hold it, each run with its shards', async () => {
    const second: ShardHolder = { runId: '5eed0011', driver: 'charles@desk/11', heldMs: 11_003 };
    const holders = [other, null, second, other];
    const shards = holders.map((holder, index) => shard(`shard-${index}`, async () => holder));
    await expect(untilFree(shards, { interrupt })).rejects.toMatchObject({
      exitCode: 2,
      problems: [
        named('shardBusy', 'shard-0', 'shard-3', '5eed0007', 'ada@laptop/7'),
        named('shardBusy', 'shard-2', '5eed0011', 'charles@desk/11'),
      ],
    });
  });

  it('is not waited for once the user ends it', async () => {
    const ending = new AbortController();
    const held = shard('held', async () => other);
    const noted: string[] = [];
    const note = (line: string): void => {
      noted.push(line);
      ending.abort();
    };
    await expect(untilFree([held], { waitMs: 600_000, note, interrupt: ending.signal })).rejects.toMatchObject({
      exitCode: 130,
      problems: [named('waitInterrupted', '5eed0007')],
    });
    expect(noted).toEqual([naming('held', '5eed0007')]);
  });

  it('is free if this driver holds it, or if it does not say', async () => {
    const own = shard('own', async () => ({ ...other, driver: thisDriver }));
    const silent = shard('silent', () => Promise.reject(new NoAnswer('nothing')));
    const old = shard('old', () => Promise.reject(new ProblemError([problem('notFound', 'there is no GET /now')])));
    const foreign = shard('foreign', () => Promise.reject(new Error('it answered something else')));
    await untilFree([own, silent, old, foreign], { interrupt });
  });
});
