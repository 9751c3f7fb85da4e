import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { type Problem, ProblemError, problem } from '../../contract/problems.js';
import { ShardClient } from './shard-client.js';

/** All addresses of a host name; rejects if it does not resolve. */
export type LookupAll = (hostname: string) => Promise<{ address: string; family: number }[]>;

/** Throws `ProblemError` if a host name leads to several bench-runners; several addresses of one are fine. */
export async function refuseAmbiguous(
  urls: readonly string[],
  token: string | undefined,
  resolve: LookupAll = (hostname) => lookup(hostname, { all: true }),
): Promise<void> {
  const problems = await Promise.all(urls.map((url) => ambiguityOf(url, token, resolve)));
  if (problems.some((each) => each !== undefined)) throw new ProblemError(problems.flatMap((each) => each ?? []));
}

async function ambiguityOf(url: string, token: string | undefined, resolve: LookupAll): Promise<Problem | undefined> {
  const { protocol, hostname } = new URL(url);
  if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) return undefined;
  // Requests report a name that does not resolve.
  const found = await resolve(hostname).catch(() => []);
  const addresses = [...new Map(found.map((each) => [each.address, each])).values()];
  const isOneOfEach = [4, 6].every((family) => addresses.filter((each) => each.family === family).length <= 1);
  if (isOneOfEach) return undefined;
  const asked = await Promise.allSettled(addresses.map(({ address }) => bootIdAt(url, token, address)));
  const bootIds = new Set(asked.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : [])));
  if (bootIds.size <= 1) return undefined;
  const places = addresses.map(({ address }) => address).join(', ');
  const each = addresses.map(({ address, family }) => `--shard ${at(url, address, family)}`).join(' ');
  const hint =
    protocol === 'https:'
      ? "Give each bench-runner its own host name, not the load balancer's, and one --shard."
      : `Use the addresses: ${each}`;
  return problem(
    'shardAmbiguous',
    `--shard ${url}: expected one bench-runner, found ${bootIds.size} at ${places}`,
    hint,
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
