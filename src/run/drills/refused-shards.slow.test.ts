import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Certificates, canCertify, Front } from '../../../test/https-front.js';
import { latencyFlags, soundResult } from '../../../test/latency.js';
import { exitOf, workplace } from '../../../test/workplace.js';
import { contractVersion } from '../../contract/job.js';

const place = workplace();
const flags = ['run', 'latency', '--target', 'ws', ...latencyFlags(7, 101)];

/** The codes with which a run is refused, and what had reached the bench-runner by then. */
async function refusedBy(front: Front, env: Record<string, string> = {}) {
  const problems = await place.refused([...flags, '--shard', front.url], env);
  front.close();
  return { codes: problems.map(({ code }) => code), jobs: front.asked.filter((each) => each.startsWith('POST')) };
}

describe('before any load', () => {
  it.each([
    ['a newer', contractVersion + 1],
    ['an older', contractVersion - 1],
  ])('%s bench-runner is refused, whatever it says beside its contract', async (_which, contract) => {
    const { port } = await place.benchRunner();
    const infoWith = { contract, version: '9.9.9', somethingNew: { unheard: true } };
    const { codes, jobs } = await refusedBy(await Front.open(port, { infoWith }));
    expect([codes, jobs]).toEqual([['shardForeign'], []]);
  });

  it.each([{}, { RINGSIDE_TOKEN: 'wrong' }])('a wrong token is refused: %o', async (env) => {
    const { port } = await place.benchRunner([], { RINGSIDE_TOKEN: 'right' });
    const { codes, jobs } = await refusedBy(await Front.open(port), env);
    expect([codes, jobs]).toEqual([['unauthorized'], []]);
  });
});

// At 50 broadcasts a second, the runs take 8 and 12 s.
it.concurrent.each([
  [701, 397],
  [7001, 601],
])('a proxy that cuts each connection after %d ms loses nothing', async (cutAfterMs, broadcasts) => {
  const { port } = await place.benchRunner();
  const front = await Front.open(port, { cutAfterMs });
  const ended = await place.run([...flags, '--broadcasts', `${broadcasts}`, '--shard', front.url]);
  front.close();
  const result = soundResult(ended);
  expect([ended.code, result.stop.code]).toEqual([exitOf(result), 'completed']);
  expect(result.ledger).toMatchObject({ acked: broadcasts, delivered: 7 * broadcasts, lost: 0 });
  expect(front.cuts).toBeGreaterThan(0);
});

if (!canCertify) process.stderr.write('not drilled here: certificates. It takes openssl (apt-get install openssl)\n');

describe.runIf(canCertify)('certificates of bench-runners', () => {
  const made = (name: string) => {
    const folder = join(place.folder, name);
    mkdirSync(folder);
    return new Certificates(folder);
  };

  it('that are out of date, or of an unknown authority, are refused', async () => {
    const [{ port }, certificates] = [await place.benchRunner(), made('out-of-date')];
    const trusting = { NODE_EXTRA_CA_CERTS: certificates.path('ca.pem') };
    for (const [name, env] of [
      ['old', trusting],
      ['server', {}],
    ] as const) {
      const { codes, jobs } = await refusedBy(await Front.open(port, { tls: certificates.of(name) }), env);
      expect([codes, jobs]).toEqual([['shardUnreachable'], []]);
    }
  });

  it('of drivers are asked for by mutual TLS: without one a run is refused, with one it works', async () => {
    const [{ port }, certificates] = [await place.benchRunner(), made('mutual')];
    const env = { NODE_EXTRA_CA_CERTS: certificates.path('ca.pem') };
    const tls = { ...certificates.of('server'), requestCert: true };
    const { codes, jobs } = await refusedBy(await Front.open(port, { tls }), env);
    expect([codes, jobs]).toEqual([['shardUnreachable'], []]);
    const front = await Front.open(port, { tls });
    const identity = ['--shard-cert', certificates.path('client.pem'), '--shard-key', certificates.path('client.key')];
    const ended = await place.run([...flags, ...identity, '--shard', front.url], env);
    expect(soundResult(ended).ledger).toMatchObject({ acked: 101, delivered: 707, lost: 0 });
    const half = ['--shard-cert', certificates.path('client.pem')];
    const problems = await place.refused([...flags, ...half, '--shard', front.url], env);
    front.close();
    expect(problems.map(({ code }) => code)).toEqual(['badOption']);
  });
});
