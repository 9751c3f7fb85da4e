import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { type Problem, ProblemError, problem } from '../../contract/problems.js';
import { ShardClient } from './shard-client.js';

/** All addresses of a host name; rejects where it does not resolve. */
export type LookupAll = (hostname: string) => Promise<{ address: string; family: number }[]>;

const lookupAll: LookupAll = (hostname) => lookup(hostname, { all: true });

/**
 * Throws `ProblemError` where the name in a shard's address leads to several bench-runners: a run would load one of them, or another one with each
 * connection. Names whose addresses lead to one process, as those of a proxy do, or of one machine in both families, are left alone.
 */
export async function refuseAmbiguous(
  urls: readonly string[],
  token: string | undefined,
  resolve: LookupAll = lookupAll,
): Promise<void> {
  const problems = await Promise.all(urls.map((url) => ambiguityOf(url, token, resolve)));
  if (problems.some((each) => each !== undefined)) throw new ProblemError(problems.flatMap((each) => each ?? []));
}

async function ambiguityOf(url: string, token: string | undefined, resolve: LookupAll): Promise<Problem | undefined> {
  const { protocol, hostname } = new URL(url);
  if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) return undefined;
  // A name that leads nowhere is told of by who asks at it.
  const found = await resolve(hostname).catch(() => []);
  const addresses = [...new Map(found.map((each) => [each.address, each])).values()];
  const isOneOfEach = [4, 6].every((family) => addresses.filter((each) => each.family === family).length <= 1);
  if (isOneOfEach) return undefined;
  const asked = await Promise.allSettled(addresses.map(({ address }) => bootIdAt(url, token, address)));
  const bootIds = new Set(asked.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : [])));
  if (bootIds.size <= 1) return undefined;
  return problem(
    'shardAmbiguous',
    `--shard ${url}: expected one bench-runner, found ${bootIds.size} at ${addresses.map(({ address }) => address).join(', ')}`,
    protocol === 'https:'
      ? 'Give each bench-runner a host name of its own, past the load balancer, for its certificate; one --shard for each.'
      : `Give each by its address: ${addresses.map(({ address, family }) => `--shard ${at(url, address, family)}`).join(' ')}`,
  );
}

async function bootIdAt(url: string, token: string | undefined, address: string): Promise<string> {
  const client = new ShardClient(url, token, { address });
  try {
    return (await client.info()).bootId;
  } finally {
    await client.close();
  }
}

function at(url: string, address: string, family: number): string {
  const to = new URL(url);
  to.hostname = family === 6 ? `[${address}]` : address;
  return to.href.replace(/\/+$/, '');
}
