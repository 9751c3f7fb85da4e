import { expect, it } from 'vitest';
import { cookies, env, expectSecret, key, load, own, place } from '../../test/runs/own-target.js';
import { keptResult } from '../../test/workplace.js';

const reach = (): string[] => [
  ...['--target-url', own.wsUrl, '--publish-url', own.publishUrl, '--protocol', 'ws-json', ...load],
];

it('a server with a login is loaded with the headers that are given, and refuses all without them', async () => {
  const refused = await place.measure(['run', 'latency', ...reach()], 1, env);
  expect(keptResult(refused).stop).toMatchObject({
    code: 'refused',
    evidence: expect.arrayContaining(['http-status:401 × 13']),
  });

  cookies.length = 0;
  const header = { RINGSIDE_HEADER: `Authorization: Bearer ${key}\nCookie: who={client}` };
  const args = ['run', 'latency', ...reach(), '--workers', '2'];
  const ended = await place.measure(args, 2, { ...env, ...header });
  const { ledger, target } = keptResult(ended);
  expect(ledger).toMatchObject({ expected: 13 * 11, delivered: 13 * 11, lost: 0 });
  expect(target.settings).toEqual({ upgradeHeaders: 'Authorization, Cookie' });
  const numbers = Array.from({ length: 13 }, (_, client) => `who=${client}`);
  expect([...cookies].sort()).toEqual(numbers.sort());
  expectSecret(refused, ended);
});
