import { z } from 'zod';
import { ProblemError, problemError, resolveOrRefuse } from '../../contract/problems.js';
import { holderInWords, type ShardHolder } from '../../contract/shard.js';
import { type Document, type Line, toned } from '../../render/document/document.js';
import { areShardsGiven, askedShardOptions, fleetOptions, formOptions } from '../../run/plan/run-options.js';
import { openKnown } from '../../run/shards/open-shards.js';
import { shardAnswer } from '../../run/shards/partial-body.js';
import type { ShardClient } from '../../run/shards/shard-client.js';
import { type ClockOffset, measureClock } from '../../run/shards/shard-clock.js';
import { withoutSecrets } from '../../units/addresses.js';
import { plural } from '../../units/text.js';
import { type CommandGroup, type CommandSession, plain } from '../command.js';
import { seconds } from '../drill/findings.js';

/** Holds the state that one bench-runner reports. All but `url` and `why` are null if it does not answer. */
export interface ShardState {
  /** Null if it has no address yet. */
  url: string | null;
  /** Reason why it can't take part in a run; null if it can. */
  why: string | null;
  version: string | null;
  cores: number | null;
  cpu: string | null;
  /** Shards that share a clock have equal ids. */
  clockId: string | null;
  clock: ClockOffset['clock'] | null;
  roundTrip: ClockOffset['roundTrip'] | null;
  engine: string | null;
  holder: ShardHolder | null;
}

async function stateOf(shard: ShardClient): Promise<ShardState> {
  let state = silentState(withoutSecrets(shard.url), '');
  try {
    const { version, machine, clockId, engine } = await shardAnswer(shard, shard.info());
    const { cores, cpu } = machine;
    state = { ...state, version, cores, cpu, clockId, engine: engine.name };
    return { ...state, why: null, ...(await measureClock(shard)) };
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    const why = error.problems.map(({ message: text }) =>
      text.startsWith(shard.url) ? text.slice(shard.url.length).replace(/^:? /, '') : text,
    );
    return { ...state, why: why.join('; ') };
  }
}

/** Returns the state of a bench-runner that does not answer. */
export function silentState(url: string | null, why: string): ShardState {
  const unknown = { version: null, cores: null, cpu: null, clockId: null, clock: null, roundTrip: null };
  return { url, why, ...unknown, engine: null, holder: null };
}

const head = ['shard', 'version', 'cores', 'clock', 'round trip', 'engine', 'state'];

/** Returns the document of `fleet status`: how many bench-runners can take a run, and a row for each. */
export function statusDocument(states: readonly ShardState[]): Document {
  const table = { head, rows: states.map(rowOf), left: [0, 1, 5, 6] };
  return {
    title: 'fleet status',
    isTitleHidden: true,
    parts: [{ blocks: [answer(states)] }, { blocks: [table] }],
    suites: [],
  };
}

function answer(states: readonly ShardState[]): Line {
  const { good, bad } = toned;
  const ready = states.filter(({ why }) => why === null);
  const free = ready.filter(({ holder }) => holder === null).length;
  const counts = { free, held: ready.length - free, 'not ready': states.length - ready.length };
  const parts = Object.entries(counts).flatMap(([state, count]) => (count > 0 ? [`${count} ${state}`] : []));
  const words = `${plural(states.length, 'bench-runner')}: ${parts.join(', ')}`;
  return ready.length === states.length ? good(words) : bad(words);
}

function rowOf({ url, version, cores, clock, roundTrip, engine, holder, why }: ShardState): string[] {
  const sign = clock && clock.offsetMs >= 0 ? '+' : '';
  const offset = clock && `${sign}${seconds(clock.offsetMs)} ± ${seconds(clock.uncertaintyMs)}`;
  const seen = [version, cores, offset, roundTrip && seconds(roundTrip.medianMs), engine];
  const state = why ?? (holder ? `held by ${holderInWords(holder)}` : 'free');
  return [url ?? '–', ...seen.map((each) => (each === null ? '–' : String(each))), state];
}

export const statusOptions = z.strictObject({ ...askedShardOptions.shape, isJson: formOptions.shape.isJson });

const status = plain({
  summary: 'show each bench-runner: version, cores, clock, round trip, engine, and who holds it',
  options: statusOptions,
  examples: [
    'fleet status --shard dns+http://shards:8080',
    'fleet status --shards-from kubernetes --wait-shards 8 --for 2m',
  ],
  async run(session, given) {
    const options = resolveOrRefuse(statusOptions, given);
    const states = await statesOf(session, options);
    await session.printResult(options, { data: { shards: states }, document: statusDocument(states) });
    return states.every(({ why }) => why === null) ? 'clean' : 'input';
  },
});

async function statesOf(session: CommandSession, options: z.output<typeof statusOptions>): Promise<ShardState[]> {
  if (!areShardsGiven(options)) throw problemError('badOption', 'expected --shard or --shards-from, received neither');
  const fleet = { ...fleetOptions.parse({}), ...options };
  if (options.waitShards !== undefined) await session.withShards(fleet, [], async () => undefined);
  const { clients, missing } = await openKnown(options, session.engines);
  try {
    const states = await Promise.all(clients.map((client) => stateOf(client)));
    return [...states, ...missing.map(({ message }) => silentState(null, message))];
  } finally {
    await Promise.all(clients.map((client) => client.close()));
  }
}

/** `ringside fleet status`. */
export const command: CommandGroup = { commands: { status } };
