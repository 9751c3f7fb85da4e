import { lookup } from 'node:dns/promises';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { createSecureContext } from 'node:tls';
import { type Problem, ProblemError, problem, problemError } from '../../contract/problems.js';
import { hostOf, withoutSecrets } from '../../units/addresses.js';
import { firstFew, outsideText, plural } from '../../units/text.js';
import { duration } from '../../units/unit.js';
import type { EngineCommands } from '../engines/engine-commands.js';
import { commandLine } from '../engines/engine-commands.js';
import type { ShardOptions } from '../plan/run-options.js';
import { shardAnswer } from './partial-body.js';
import { ShardClient, type ShardOrigin } from './shard-client.js';
import { byNumber, sourceOf } from './sources/list.js';

/** Resolves a host name to all its addresses. Rejects if it does not resolve. */
export type LookupAll = (hostname: string) => Promise<{ address: string; family: number }[]>;

const lookupAll: LookupAll = (hostname) => lookup(hostname, { all: true });

/** Locates a bench-runner by URL. `address` selects one address if the name has several. */
interface ShardAddress {
  url: string;
  address?: string;
}

/** Opens the client of a bench-runner. Only their addresses tell the bench-runners of a fleet apart. */
type OpenShard = (shard: ShardAddress) => ShardClient;

/** Returns a function that opens clients. Throws `ProblemError` if the client certificate is unusable. */
export function opener(asked: Pick<ShardOptions, 'token' | 'shardCert' | 'shardKey'>): OpenShard {
  const identity = shardIdentityOf(asked);
  return ({ url, address }) =>
    new ShardClient(url, asked.token, { identity, ...(address !== undefined && { address }) });
}

/** Reads the identity that the options name; undefined without one. Throws `ProblemError` if it is unusable. */
function shardIdentityOf(fleet: Pick<ShardOptions, 'shardCert' | 'shardKey'>): ShardOrigin['identity'] {
  const { shardCert, shardKey } = fleet;
  if (shardCert === undefined && shardKey === undefined) return undefined;
  try {
    if (shardCert === undefined || shardKey === undefined) throw new Error('one without the other');
    const identity = { cert: readFileSync(shardCert, 'utf8'), key: readFileSync(shardKey, 'utf8') };
    createSecureContext(identity);
    return identity;
  } catch (error) {
    const found = (error as Error).message;
    const message = `--shard-cert, --shard-key: expected PEM files of a certificate and its key, received ${found}`;
    throw problemError('badOption', message);
  }
}

interface KnownShards {
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
  const refusal = (why: string) => problemError('sourceFailed', `--shards-from ${shardsFrom}: ${why}`, source.hint);
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

/** Interval for resolving addresses and asking bench-runners while some are missing. */
const askEveryMs = 1000;
const answerWithinMs = 5000;

interface WaitContext {
  note(line: string): void;
  noteEveryMs: number;
  interrupt(): AbortSignal;
}

/** Returns clients of all known bench-runners, or waits until `waitShards` are ready. Throws `ProblemError`. */
export async function openShards(
  asked: ShardOptions,
  engine: EngineCommands,
  context: WaitContext,
  resolve?: LookupAll,
): Promise<ShardClient[]> {
  const { waitShards } = asked;
  if (waitShards !== undefined) return readyShards(asked, waitShards, engine, context, resolve);
  const { clients, missing } = await openKnown(asked, engine, resolve);
  if (missing.length === 0) return clients;
  await Promise.all(clients.map((client) => client.close()));
  throw new ProblemError(missing);
}

/** Returns clients of the known bench-runners, and why others are missing. Throws `ProblemError` if none is known. */
export async function openKnown(
  asked: ShardOptions,
  engine: EngineCommands,
  resolve?: LookupAll,
): Promise<{ clients: ShardClient[]; missing: Problem[] }> {
  const { shards, missing } = await knownShards(asked, engine, resolve);
  if (shards.length === 0 && missing.length === 0)
    throw problemError('shardsMissing', `--shards-from ${asked.shardsFrom}: no bench-runner found`);
  const open = opener(asked);
  return { clients: shards.map(open), missing };
}

async function readyShards(
  asked: ShardOptions,
  wanted: number,
  engine: EngineCommands,
  { note, noteEveryMs, interrupt }: WaitContext,
  resolve?: LookupAll,
): Promise<ShardClient[]> {
  const open = opener(asked);
  const fromMs = performance.now();
  const limit = duration.print(asked.waitShardsMs);
  let notedMs = Number.NEGATIVE_INFINITY;
  for (;;) {
    const known = await knownNow(asked, engine, resolve);
    const clients = known.shards.map(open);
    const leftMs = fromMs + asked.waitShardsMs - performance.now();
    const withinMs = Math.min(answerWithinMs, Math.max(askEveryMs, leftMs));
    const answers = await Promise.allSettled(clients.map((each) => shardAnswer(each, each.info(withinMs))));
    const faults = answers.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []));
    // A wrong token stays wrong.
    const final = faults.find((each) => !(each instanceof ProblemError) || each.problems[0]?.code === 'unauthorized');
    const byBootId = new Map(
      answers.flatMap((each, at) => (each.status === 'fulfilled' ? [[each.value.bootId, clients[at]!] as const] : [])),
    );
    const ready = final === undefined && byBootId.size >= wanted ? [...byBootId.values()] : [];
    await Promise.all(clients.filter((each) => !ready.includes(each)).map((each) => each.close()));
    if (final !== undefined) throw final;
    const missing = [...faults.flatMap((each) => (each as ProblemError).problems), ...known.missing];
    const soFar = `${byBootId.size} of ${plural(wanted, 'shard')} ready`;
    if (ready.length > 0) {
      if (missing.length > 0) note(`${soFar}, and go; ${left(missing)}`);
      return ready;
    }
    if (leftMs <= 0) {
      const first = missing.find(({ code }) => code === 'sourceFailed');
      throw problemError('shardsMissing', `${soFar} after ${limit}; ${left(missing)}`, first?.hint);
    }
    // Before the note, as a user may answer it by Ctrl-C.
    const interrupted = interrupt();
    if (performance.now() - notedMs >= noteEveryMs) {
      notedMs = performance.now();
      const waited = duration.print(Math.round((notedMs - fromMs) / 1000) * 1000);
      note(`${soFar} after ${waited} of ${limit}; ${left(missing)}`);
    }
    await delay(askEveryMs, undefined, { signal: interrupted }).catch(() => null);
    if (interrupted.aborted) throw problemError('waitInterrupted', `${soFar} when the wait was ended`);
  }
}

/** Returns the known bench-runners. A fault of the source may be gone in a moment, so it counts as missing. */
async function knownNow(...source: Parameters<typeof knownShards>): Promise<KnownShards> {
  return knownShards(...source).catch((error: unknown) => {
    if (error instanceof ProblemError) return { shards: [], missing: [...error.problems] };
    throw error;
  });
}

function left(missing: readonly Problem[]): string {
  if (missing.length === 0) return 'no more are known';
  return `missing: ${firstFew(missing.map(({ message }) => message))}`;
}

/** Returns the command that continues a run or fetches its result, with the shards as the user gave them. */
export function attachCommand(runId: string, { shards, shardsFrom, shardCert, shardKey }: ShardOptions): string {
  const given = { '--shards-from': shardsFrom, '--shard-cert': shardCert, '--shard-key': shardKey };
  const flags = [
    ...shards.flatMap((url) => ['--shard', withoutSecrets(url)]),
    ...Object.entries(given).flatMap(([flag, value]) => (value === undefined ? [] : [flag, value])),
  ];
  return commandLine('ringside', ['attach', runId, ...flags]);
}

/** Returns the line that a driver prints early, so that its run is found if the driver ends before the run. */
export function begunInWords(runId: string, fleet: ShardOptions): string {
  return `run ${runId}; if this driver ends early: ${attachCommand(runId, fleet)}`;
}
