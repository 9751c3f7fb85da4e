import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { memberOf } from '../../../test/members.js';
import { ProblemError, problem } from '../../contract/problems.js';
import { postAll } from './dispatch.js';
import type { Member } from './member.js';

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
