import { z } from 'zod';
import { ProblemError, problem, resolveOrRefuse } from '../../contract/problems.js';
import { holderInWords } from '../../contract/shard.js';
import { type Document, type Line, toned } from '../../render/document/document.js';
import { areShardsGiven, askedShardOptions, fleetOptions, formOptions } from '../../run/plan/run-options.js';
import { openKnown } from '../../run/shards/open-shards.js';
import { plural } from '../../units/text.js';
import { type CommandGroup, type CommandSession, plain } from '../command.js';
import { seconds } from '../drill/print.js';
import { type ShardState, silentState, stateOf } from './state.js';

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

/** Formats `3 bench-runners: 1 free, 1 held, 1 not ready`. */
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
  const seen = [version, cores, clock && clockInWords(clock), roundTrip && seconds(roundTrip.medianMs), engine];
  const state = why ?? (holder ? `held by ${holderInWords(holder)}` : 'free');
  return [url ?? '–', ...seen.map((each) => (each === null ? '–' : String(each))), state];
}

function clockInWords({ offsetMs, uncertaintyMs }: NonNullable<ShardState['clock']>): string {
  return `${offsetMs < 0 ? '' : '+'}${seconds(offsetMs)} ± ${seconds(uncertaintyMs)}`;
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
  if (!areShardsGiven(options)) {
    const message = 'expected --shard or --shards-from, received neither';
    throw new ProblemError([problem('badOption', message)]);
  }
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
