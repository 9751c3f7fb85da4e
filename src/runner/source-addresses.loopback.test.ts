import { expect, it } from 'vitest';
import type { Job } from '../scenarios/job.js';
import { sourceProblems } from './job-store.js';

const codesOf = async (
  localAddresses: string[],
  wsUrl: string,
  publishUrl = 'http://target.test/',
): Promise<string[]> => {
  const target = { wsUrls: [wsUrl], publishUrl, furtherPublishUrls: [] };
  const problems = await sourceProblems({ load: { localAddresses }, target } as unknown as Job);
  return problems.map(({ message }) => /received (.*)/.exec(message)?.[1] ?? message);
};

it('source addresses that this machine has are taken, for targets that they reach', async () => {
  expect(await codesOf([], 'ws://[::1]/')).toEqual([]);
  expect(await codesOf(['127.0.0.1'], 'ws://127.0.0.1/')).toEqual([]);
  expect(await codesOf(['127.0.0.1'], 'wss://target.test/')).toEqual([]);
});

it('source addresses that are those of another machine are refused, the first alone', async () => {
  // 192.0.2.0/24 is for documentation (RFC 5737): no machine has it.
  expect(await codesOf(['127.0.0.1', '192.0.2.7-192.0.2.250'], 'ws://127.0.0.1/')).toEqual(['192.0.2.7']);
});

it('source addresses of another family than the target are refused', async () => {
  expect(await codesOf(['127.0.0.1'], 'ws://[::1]:3000/')).toEqual(['127.0.0.1']);
  expect(await codesOf(['127.0.0.1'], 'ws://target.test/', 'http://[::1]:3000/')).toEqual(['127.0.0.1']);
});
