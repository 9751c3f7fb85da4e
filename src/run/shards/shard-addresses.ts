import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { type Problem, ProblemError, problem } from '../../contract/problems.js';
import { hostOf } from '../../units/addresses.js';
import { outsideText } from '../../units/text.js';
import type { EngineCommands } from '../engines/engine-commands.js';
import type { ShardOptions } from '../plan/shard-options.js';
import { ShardClient } from './shard-client.js';
import { shardIdentityOf } from './shard-identity.js';
import { byNumber, sourceOf } from './sources/list.js';

/** Resolves a host name to all its addresses. Rejects if it does not resolve. */
export type LookupAll = (hostname: string) => Promise<{ address: string; family: number }[]>;

const lookupAll: LookupAll = (hostname) => lookup(hostname, { all: true });

/** Locates a bench-runner by URL. `address` selects one address if the name has several. */
export interface ShardAddress {
  url: string;
  address?: string;
}

/** Opens the client of a bench-runner. Only their addresses tell the bench-runners of a fleet apart. */
export type OpenShard = (shard: ShardAddress) => ShardClient;

/** Returns a function that opens clients. Throws `ProblemError` if the client certificate is unusable. */
export function opener(asked: Pick<ShardOptions, 'token' | 'shardCert' | 'shardKey'>): OpenShard {
  const identity = shardIdentityOf(asked);
  return ({ url, address }) =>
    new ShardClient(url, asked.token, { identity, ...(address !== undefined && { address }) });
}

export interface KnownShards {
  shards: ShardAddress[];
  missing: Problem[];
}

const everyAddress = 'dns+';

/** Asks the source and resolves names. Throws `ProblemError` for a source or an address that can't be read. */
export async function knownShards(
  asked: Pick<ShardOptions, 'shards' | 'shardsFrom'>,
  engine: EngineCommands,
  resolve: LookupAll = lookupAll,
): Promise<KnownShards> {
  const { shards: given, shardsFrom } = asked;
  const found = shardsFrom === undefined ? { urls: given, pending: [] } : await askSource(shardsFrom, engine);
  const known = await Promise.all(found.urls.map((url) => addressesOf(url, resolve)));
  const pending = found.pending.map((text) => problem('shardUnreachable', outsideText(text)));
  return {
    shards: known.flatMap(({ shards }) => shards),
    missing: [...known.flatMap(({ missing }) => missing), ...pending],
  };
}

async function askSource(shardsFrom: string, engine: EngineCommands): Promise<{ urls: string[]; pending: string[] }> {
  const named = sourceOf(shardsFrom);
  if (!named) throw new Error(`the option let an unknown source through: ${shardsFrom}`);
  const { source, argument } = named;
  const refusal = (why: string) =>
    new ProblemError([problem('sourceFailed', `--shards-from ${shardsFrom}: ${why}`, source.hint)]);
  const found = await source.find(argument, engine).catch((error: Error) => {
    throw refusal(outsideText(error.message, longestReason));
  });
  const wrong = found.urls.find((url) => !URL.canParse(url) || !/^(dns\+)?https?:/.test(url));
  if (wrong !== undefined) throw refusal(`expected addresses of bench-runners, received ${outsideText(wrong)}`);
  return found;
}

const longestReason = 1000;

/** Resolves a name behind `dns+` to one bench-runner for each address of its commoner family. */
async function addressesOf(url: string, resolve: LookupAll): Promise<KnownShards> {
  if (!url.startsWith(everyAddress)) return { shards: [{ url }], missing: [] };
  const plain = url.slice(everyAddress.length);
  const hostname = hostOf(plain);
  if (isIP(hostname) !== 0) return { shards: [{ url: plain }], missing: [] };
  const found = await resolve(hostname).catch(() => []);
  const of = (family: number) => [...new Set(found.flatMap((each) => (each.family === family ? [each.address] : [])))];
  const [four, six] = [of(4), of(6)];
  const addresses = (six.length > four.length ? six : four).sort(byNumber);
  const missing = addresses.length > 0 ? [] : [problem('shardsUnknown', `--shard ${url}: its name does not resolve`)];
  return { shards: addresses.map((address) => ({ url: plain, address })), missing };
}

/** Throws `ProblemError` if a host name leads to several bench-runners. */
export async function refuseAmbiguous(
  shards: readonly ShardAddress[],
  open: OpenShard,
  resolve: LookupAll = lookupAll,
): Promise<void> {
  const byName = shards.flatMap(({ url, address }) => (address === undefined ? [url] : []));
  const problems = await Promise.all(byName.map((url) => ambiguityOf(url, open, resolve)));
  if (problems.some((each) => each !== undefined)) throw new ProblemError(problems.flatMap((each) => each ?? []));
}

async function ambiguityOf(url: string, open: OpenShard, resolve: LookupAll): Promise<Problem | undefined> {
  const hostname = hostOf(url);
  if (isIP(hostname) !== 0) return undefined;
  // The requests themselves report a name that does not resolve.
  const found = await resolve(hostname).catch(() => []);
  const addresses = [...new Map(found.map((each) => [each.address, each])).values()];
  const isOneOfEach = [4, 6].every((family) => addresses.filter((each) => each.family === family).length <= 1);
  if (isOneOfEach) return undefined;
  const asked = await Promise.allSettled(addresses.map(({ address }) => bootIdOf(open({ url, address }))));
  const bootIds = new Set(asked.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : [])));
  if (bootIds.size <= 1) return undefined;
  const places = addresses.map(({ address }) => address).join(', ');
  return problem(
    'shardAmbiguous',
    `--shard ${url}: expected one bench-runner, found ${bootIds.size} at ${places}`,
    `Take every address as a shard: --shard ${everyAddress}${url}. Behind a load balancer, give each its own name.`,
  );
}

async function bootIdOf(client: ShardClient): Promise<string> {
  try {
    return (await client.info()).bootId;
  } finally {
    await client.close();
  }
}
