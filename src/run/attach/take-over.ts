import { setTimeout as delay } from 'node:timers/promises';
import type { RunState } from '../../contract/job.js';
import { type Problem, ProblemError, problem, problemError } from '../../contract/problems.js';
import type { ShardInfo } from '../../contract/shard.js';
import { Member } from '../shards/member.js';
import { NoAnswer, secondsInWords } from '../shards/partial-body.js';
import { type ShardClient, thisDriver } from '../shards/shard-client.js';

/** `state` is undefined if the shard does not answer or does not know the run. */
interface Part {
  shard: ShardClient;
  info: ShardInfo | undefined;
  state: RunState | undefined;
  why: string;
  /** Set if a later answer may differ: a cut link may recover, or the driver may still post the job. */
  isLate: 'silent' | 'without the run' | false;
}

/** Holds the shards of a run by slice, with the state that each reports. */
export interface TakenOverRun {
  runId: string;
  members: Member[];
  /** By member; undefined for a lost one. */
  states: (RunState | undefined)[];
  order: RunState['order'];
}

/** Finds the shards of a run. Waits up to one lease for a shard that may still answer. Throws `ProblemError`. */
export async function findShardsOfRun(
  runId: string,
  shards: readonly ShardClient[],
  { interrupt }: { interrupt: AbortSignal },
): Promise<TakenOverRun> {
  const fromMs = performance.now();
  for (;;) {
    const parts = await Promise.all(shards.map((shard) => partAt(runId, shard)));
    const known = parts.flatMap(({ state }) => state ?? []);
    const [first] = known;
    if (!first) throw new ProblemError(parts.map(unknown));
    const places = placesOf(runId, first.order, parts);
    const hasDriver = known.some(({ driver, status }) => !driver.isGone && status.state === 'running');
    const isAwaited = places.some(({ state, isLate }) => !state && isLate && (isLate === 'silent' || hasDriver));
    const { leaseMs } = first.order.load;
    if (!isAwaited || interrupt.aborted || performance.now() - fromMs > leaseMs)
      return joined(runId, places, first.order);
    await delay(askAgainAfterMs);
  }
}

const askAgainAfterMs = 1000;

/** Orders the shards by slice. Shards that do not know the run fill the free places. */
function placesOf(runId: string, { slice: { of } }: RunState['order'], parts: readonly Part[]): Part[] {
  const places = Array.from({ length: of }, (_, index) =>
    parts.filter(({ state }) => state?.order.slice.index === index),
  );
  if (places.some((each) => each.length > 1))
    throw problemError('shardTwice', '--shard: a bench-runner is given twice');
  const strangers = parts.filter(({ state }) => !state);
  const missing = places.filter((each) => each.length === 0).length;
  if (missing > strangers.length)
    throw problemError(
      'badOption',
      `--shard: expected the ${of} bench-runners of run ${runId}, received ${of - missing}`,
    );
  return places.map(([part]) => part ?? (strangers.shift() as Part));
}

function joined(runId: string, parts: readonly Part[], order: RunState['order']): TakenOverRun {
  const members = parts.map(({ shard, info, state, why }) => {
    const member = new Member(shard, info, state?.status.jobId ?? '', order.load.leaseMs);
    member.status = state?.status;
    member.heardMs = performance.now();
    if (!state) member.loseForGood(why);
    return member;
  });
  return { runId, members, states: parts.map(({ state }) => state), order };
}

/** Returns how long the run has lasted, up to its end if it has ended. */
export function ranMs({ states }: TakenOverRun, hasEnded: boolean): number {
  const each = states.flatMap((state) => {
    if (!state) return [];
    const { stages, elapsedMs } = state.status;
    return hasEnded ? stages.map(({ atMs, durationMs }) => atMs + (durationMs ?? 0)) : elapsedMs;
  });
  return Math.max(0, ...each);
}

/** Returns how long all shards have waited at a gate that no driver opened. */
export function stoodMs({ states }: TakenOverRun): number {
  const each = states.flatMap((state) => {
    if (!state) return [];
    const { waitingFor, stages, elapsedMs } = state.status;
    const ends = stages.map(({ atMs, durationMs }) => atMs + (durationMs ?? 0));
    return waitingFor === null ? 0 : Math.max(0, elapsedMs - Math.max(0, ...ends));
  });
  return each.length === 0 ? 0 : Math.min(...each);
}

/** Maps each gate that a shard has passed to whether the round behind it is skipped. */
export function openedBy({ states }: TakenOverRun): Map<string, boolean> {
  return new Map(states.flatMap((state) => Object.entries(state?.gates ?? {})));
}

function unknown({ shard: { url }, why, isLate }: Part): Problem {
  return isLate === 'without the run'
    ? problem('notFound', `${url}: ${why}`, hint)
    : problem('shardUnreachable', `${url}: ${why}`);
}

const hint = 'A run is known by its id while its shards keep it: give the id that its driver printed.';

async function partAt(runId: string, shard: ShardClient): Promise<Part> {
  const part: Part = { shard, info: undefined, state: undefined, why: '', isLate: false };
  try {
    part.info = await shard.info();
    part.state = await shard.run(runId);
  } catch (error) {
    const found = error instanceof Error ? error.message : String(error);
    part.why = found.replace(`${shard.url}: `, '');
    if (error instanceof NoAnswer) {
      part.why = `did not answer (${found})`;
      part.isLate = error.isRefused ? false : 'silent';
    } else if (error instanceof ProblemError) {
      if (error.problems.some(({ code }) => code !== 'notFound')) throw error;
      part.isLate = 'without the run';
    }
  }
  return part;
}

/** Asks every shard for its state. A shard that is silent for its lease obeys the earlier driver, and is lost. */
export async function askShards(run: TakenOverRun): Promise<void> {
  await Promise.all(run.members.map((member, index) => askShard(run, member, index)));
}

async function askShard(run: TakenOverRun, member: Member, index: number): Promise<void> {
  if (member.lost !== undefined) return;
  try {
    hear(run, member, index, await member.client.run(run.runId));
  } catch (error) {
    if (error instanceof ProblemError) throw error;
    const silentMs = performance.now() - (member.heardMs ?? 0);
    const why = error instanceof Error ? error.message : String(error);
    if (!(error instanceof NoAnswer)) member.loseForGood(why);
    else if (silentMs > run.order.load.leaseMs)
      member.loseForGood(`did not answer for ${secondsInWords(silentMs)} (${why})`);
  }
}

function hear({ states }: TakenOverRun, member: Member, index: number, state: RunState): void {
  states[index] = state;
  member.status = state.status;
  member.heardMs = performance.now();
}

/** Returns true if no other driver has any of the remaining shards. */
export function isRunFree({ members, states }: TakenOverRun): boolean {
  return states.every((state, index) => {
    if (!state || members[index]?.lost !== undefined) return true;
    return state.driver.isGone || state.driver.name === thisDriver;
  });
}

/** Makes all shards obey this driver, in order. Returns false if another driver was quicker. */
export async function takeOverRun(run: TakenOverRun): Promise<boolean> {
  for (const [index, member] of run.members.entries()) {
    if (member.lost !== undefined) continue;
    try {
      hear(run, member, index, await member.client.takeOver(run.runId));
    } catch (error) {
      if (error instanceof ProblemError && error.problems.some(({ code }) => code !== 'runHeld')) throw error;
      return false;
    }
  }
  return true;
}
