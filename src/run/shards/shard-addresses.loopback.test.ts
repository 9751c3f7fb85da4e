import { describe, expect, it } from 'vitest';
import { workplace } from '../../../test/workplace.js';
import { ProblemError } from '../../contract/problems.js';
import { greetAll } from './dispatch.js';
import { type LookupAll, opener, refuseAmbiguous } from './shard-addresses.js';
import { ShardClient } from './shard-client.js';

const place = workplace();

const resolvesTo =
  (...addresses: string[]): LookupAll =>
  async () =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

/** The codes and hints of a refusal; none where there is nothing to refuse. */
async function problemsOf(asked: Promise<unknown>): Promise<{ code: string; hint: string; message: string }[]> {
  try {
    await asked;
    return [];
  } catch (error) {
    if (error instanceof ProblemError) return [...error.problems];
    throw error;
  }
}

const token = 'prime-7919';

describe.runIf(process.platform === 'linux')('the name in the address of a shard', () => {
  it('leads to two bench-runners: refused, with the address of each', async () => {
    const { port } = await place.benchRunner([], { RINGSIDE_TOKEN: token });
    await place.benchRunner(['--host', '127.0.0.2', '--port', String(port)], { RINGSIDE_TOKEN: token });
    const addresses = resolvesTo('127.0.0.1', '127.0.0.2');
    const [found, ...more] = await problemsOf(
      refuseAmbiguous([{ url: `http://shard:${port}` }], opener({ token }), addresses),
    );
    expect([found?.code, more]).toEqual(['shardAmbiguous', []]);
    expect(found?.message).toContain('127.0.0.1, 127.0.0.2');
    expect(found?.hint).toContain(`--shard dns+http://shard:${port}`);
  });

  it('leads to one by two ways: that is one shard', async () => {
    const { port } = await place.benchRunner(['--host', '0.0.0.0'], { RINGSIDE_TOKEN: token });
    const url = `http://shard:${port}`;
    expect(
      await problemsOf(refuseAmbiguous([{ url }], opener({ token }), resolvesTo('127.0.0.1', '127.0.0.2'))),
    ).toEqual([]);
  });
});

it('an address, and a name with one address of each family, lead to one machine, whoever listens there', async () => {
  const nobody: LookupAll = () => Promise.reject(new Error('nobody asks for an address'));
  const urls = ['http://127.0.0.1:1', 'http://[::1]:1'].map((url) => ({ url }));
  expect(await problemsOf(refuseAmbiguous(urls, opener({}), nobody))).toEqual([]);
  const both = resolvesTo('::1', '127.0.0.1');
  expect(await problemsOf(refuseAmbiguous([{ url: 'http://localhost:1' }], opener({}), both))).toEqual([]);
});

it('one bench-runner is refused as two shards, by whatever addresses', async () => {
  const [one, other] = await Promise.all([place.benchRunner(), place.benchRunner()]);
  const at = (...urls: string[]) => urls.map((url) => new ShardClient(url, undefined));
  const own = `http://127.0.0.1:${one.port}`;
  for (const again of [own, `http://localhost:${one.port}`]) {
    const problems = await problemsOf(greetAll(at(own, again, `http://127.0.0.1:${other.port}`)));
    expect(problems.map(({ code }) => code)).toEqual(['shardTwice']);
  }
  expect(await greetAll(at(own, `http://127.0.0.1:${other.port}`))).toHaveLength(2);
});
