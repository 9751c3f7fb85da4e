import { setTimeout as delay } from 'node:timers/promises';
import type { Stop, StopCode } from '../contract/stop-reasons.js';
import { sumCounts } from '../measure/samples/sample-sum.js';
import { loginGate } from '../scenarios/logins.js';
import type { PlannedStage } from '../scenarios/rounds.js';
import type { FailedDisruption, Scenario } from '../scenarios/scenario.js';
import { type HowToEnd, type Member, pollPauseMs, refuseTaken } from './shards/member.js';
import { secondsInWords } from './shards/partial-body.js';

/** A shard that does not answer holds up the others for no longer. */
const patienceMs = 1000;
/** All shards must hear of an open gate before the stage starts. */
const gateDelayMs = 300;
/** One shard alone only wakes its workers. */
const wakeDelayMs = 10;
const endWithinMs = 20_000;
/** What is under way when a user ends a run is awaited for no longer: it then counts as lost. */
export const finishWithinMs = 15_000;
/** A silent shard has its lease, unless a user waits for the end. */
const silentAfterInterruptMs = 10_000;
/** The share of clients that must be there before the first gate opens, unless their number is the subject. */
const readyShare = 0.99;

/** What ends a run from outside the shards. */
export interface Outside {
  interrupt: AbortSignal;
  /** Whether a run that its user ends awaits what is under way, so that its figures hold for what came. */
  keepsPart?: boolean | undefined;
  /** Resolves, with how it ended, when a target that we started is gone. */
  targetGone: Promise<string>;
  /** Called after each round of polls; `elapsedMs` is since the watch began. */
  look(members: readonly Member[], elapsedMs: number): void;
  /** Waits for other runs: the instant by `performance.now()` at which all start the stage behind the gate. */
  standsAt?: ((gate: string) => number | undefined) | undefined;
  /** Waits so long, and less if other runs arrive for which this one waits. */
  pause?: ((ms: number) => Promise<void>) | undefined;
  disrupt?: Disrupt | undefined;
  /** By gate that an earlier driver opened, whether the round behind it is skipped. */
  openedBefore?: ReadonlyMap<string, boolean> | undefined;
}

/** What the driver does to the target when the stage behind `gate` begins. No other gate opens meanwhile. */
export interface Disrupt {
  gate: string;
  /** If it rejects, the run ends as a failed restart. */
  act(): Promise<void>;
  /** From the counts of all shards: why the target was not disrupted; undefined if it was. */
  failed(counts: Readonly<Record<string, number>>): FailedDisruption | undefined;
}

/**
 * `audienceShort` and `publishesUntaken` become stop reasons when the causes are known; `endedByUser` becomes
 * `interrupted` where nothing was measured.
 */
export type WatchEnd =
  | Stop
  | { code: 'audienceShort'; evidence: string[] }
  | { code: 'publishesUntaken'; evidence: string[] };

/**
 * Polls every shard until all are done or lost, and opens a gate when all current shards stand at it. Whatever ends the
 * run early cancels it on every shard, and what they measured is kept: a lost shard has another lease to return with
 * its part. Gives why the driver ended the run, if it did. Throws `ProblemError` once another driver has taken it over.
 */
export async function watch(
  scenario: Scenario,
  stages: readonly PlannedStage[],
  members: readonly Member[],
  outside: Outside,
): Promise<WatchEnd | undefined> {
  const startMs = performance.now();
  const { pause = (ms: number) => delay(ms) } = outside;
  const pauseMs = pollPauseMs(members.length);
  let end: WatchEnd | undefined;
  let endedMs = 0;
  let interruptedMs: number | undefined;
  const finish = (found: WatchEnd): void => {
    if (end) return;
    end = found;
    endedMs = performance.now();
  };
  /** How shards are to end now; undefined while the run goes on. */
  const howToEnd = (): HowToEnd | undefined => {
    if (!end) return undefined;
    return end.code === 'endedByUser' && performance.now() - endedMs < finishWithinMs ? 'finish' : 'cancel';
  };
  /** Why it makes no sense to wait for a shard any longer; undefined while it does. */
  const overdue = (member: Member): string | undefined => {
    const nowMs = performance.now();
    const withinMs = endWithinMs + (end?.code === 'endedByUser' ? finishWithinMs : 0);
    if (end && member.isHeard && nowMs - endedMs > withinMs)
      return `did not end within ${secondsInWords(withinMs)} of being asked to`;
    if (interruptedMs !== undefined && !member.isHeard && nowMs - interruptedMs > silentAfterInterruptMs)
      return `did not answer for ${secondsInWords(silentAfterInterruptMs)} after the user ended the run`;
    return undefined;
  };
  outside.targetGone.then(
    (how) => finish({ code: 'targetGone', evidence: [how] }),
    () => undefined,
  );
  /** By gate, whether the round behind it is skipped. */
  const opened = new Map(outside.openedBefore);
  let enough: Stop | undefined;
  const ofMember = (member: Member): Stop | undefined => stopOf(member, outside.openedBefore !== undefined);
  let isDisrupting = false;

  const isAllowed = (gate: string): boolean => {
    if (isDisrupting) return false;
    const { clients: asked = 0, round = 0 } = stages.find((stage) => stage.gate === gate) ?? {};
    const short = shortfall(scenario, asked, members);
    if (short === undefined) return true;
    // Earlier rounds had all their clients: how far the target went is the run's finding.
    if (round > 0) enough = { code: 'clientsShort', evidence: [`round ${round + 1}: ${short}`] };
    else finish({ code: 'audienceShort', evidence: [short] });
    return round > 0;
  };
  const isLast = (gate: string): boolean => {
    const evidence = stages.find((stage) => stage.gate === gate)?.enough?.(figuresOf(members));
    if (evidence !== undefined) enough = { code: 'limitReached', evidence: [evidence] };
    return enough !== undefined;
  };
  /** Opens the gate at which all shards stand; opens it again for shards that the first request did not reach. */
  const openGate = async (): Promise<void> => {
    const gate = members.map((member) => member.status?.waitingFor).find((name) => typeof name === 'string');
    if (!gate) return;
    const waiting = members.filter((member) => member.status?.waitingFor === gate);
    const isFirst = !opened.has(gate);
    if (isFirst) {
      if (waiting.length < members.length || !members.every((member) => member.isHeard)) return;
      if (!isAllowed(gate)) return;
    }
    // Other targets of a comparison may have no logins.
    const standsAt = gate === loginGate ? undefined : outside.standsAt;
    const commonMs = standsAt?.(gate);
    if (standsAt && commonMs === undefined) return;
    if (isFirst) {
      opened.set(gate, isLast(gate));
    }
    const disruption = gate === outside.disrupt?.gate ? outside.disrupt : undefined;
    const ownMs = members.length > 1 || disruption ? gateDelayMs : wakeDelayMs;
    const delayMs = commonMs === undefined ? ownMs : Math.max(0, commonMs - performance.now());
    await Promise.all(waiting.map((member) => member.openGate(gate, delayMs, opened.get(gate) ?? false)));
    // Only now does every shard know when it starts.
    if (isFirst && disruption) void disrupt(disruption);
  };
  const disrupt = async ({ gate, act }: Disrupt): Promise<void> => {
    isDisrupting = true;
    await delay(gateDelayMs);
    const stage = stages.find((each) => each.gate === gate)?.name;
    // A worker that has not heard of the order would take its cuts for earlier ones.
    while (!end && members.some((member) => !member.isOver && !hasBegun(member, stage))) await delay(wakeDelayMs);
    if (end) return;
    await act().catch((error: unknown) => {
      finish({ code: 'restartFailed', evidence: [error instanceof Error ? error.message : String(error)] });
    });
    isDisrupting = false;
  };

  const skipped = [...opened].find(([, isSkipped]) => isSkipped)?.[0];
  if (skipped !== undefined && isAllowed(skipped) && !isLast(skipped))
    enough = { code: 'limitReached', evidence: ['found by the driver before'] };
  for (;;) {
    const [askedMs, before, ending] = [performance.now(), placesOf(members), howToEnd()];
    const polls = Promise.all(members.map((member) => member.poll(ending, pauseMs)));
    await Promise.race([polls, delay(patienceMs, undefined, { ref: false })]);
    refuseTaken(members);
    outside.look(members, performance.now() - startMs);
    const isAwaited = !outside.interrupt.aborted && members.some((member) => member.awaitedMs > 0);
    if (members.every((member) => member.isOver) && !isAwaited) break;
    if (outside.interrupt.aborted) {
      interruptedMs ??= performance.now();
      finish(
        outside.keepsPart
          ? { code: 'endedByUser', evidence: [], afterMs: interruptedMs - startMs }
          : { code: 'interrupted', evidence: ['ended by the user'] },
      );
    }
    const untaken = scenario.takesNone?.(figuresOf(members));
    if (untaken !== undefined) finish({ code: 'publishesUntaken', evidence: [untaken] });
    for (const member of members) {
      if (member.lost !== undefined) finish({ code: 'shardLost', evidence: [`${member.url}: ${member.lost}`] });
      else if (member.status?.state === 'done') {
        const stop = ofMember(member);
        if (stop && stop.code !== 'completed') finish(stop);
      }
    }
    for (const member of members) if (!member.isOver) member.lost = overdue(member);
    if (!end) await openGate();
    // Shards answer when they have news; older ones answer at once.
    if (placesOf(members) === before) await pause(Math.max(0, askedMs + pauseMs - performance.now()));
  }
  const lost = members.filter((member) => member.lost !== undefined);
  if (lost.length > 0 && interruptedMs === undefined) {
    return { code: 'shardLost', evidence: lost.map((member) => `${member.url}: ${member.lost}`) };
  }
  const ofShards = members.map(ofMember);
  return (
    end ?? ofShards.find((stop) => stop && stop.code !== 'completed') ?? enough ?? failedDisruption(outside, members)
  );
}

/** Where all shards stand: running, at a gate or done. */
function placesOf(members: readonly Member[]): string {
  return members.map(({ status }) => `${status?.state} ${status?.waitingFor}`).join();
}

/** A bench-runner whose lease ran out did not hear this driver, which nobody interrupted: for the run it is lost. */
const stopOfRunner: Partial<Record<StopCode, StopCode>> = { shardEnded: 'shardEnded', interrupted: 'shardLost' };

/** What ended a shard's part. A reason that is the bench-runner's own names it. */
function stopOf({ status, url }: Member, isAttached: boolean): Stop | undefined {
  const stop = status?.result?.stop;
  // The driver whom the shard did not hear was another one.
  if (isAttached && stop?.code === 'interrupted') return stop;
  const code = stop && stopOfRunner[stop.code];
  return code === undefined ? stop : { code, evidence: stop?.evidence.map((text) => `${url}: ${text}`) ?? [] };
}

/** Whether all workers of a shard have heard of a stage. */
function hasBegun({ status }: Member, stage: string | undefined): boolean {
  return status?.stages.some(({ name }) => name === stage) ?? false;
}

/** The live figures of all shards. */
function figuresOf(members: readonly Member[]): Record<string, number> {
  return sumCounts(members.map((member) => member.status?.progress ?? {}));
}

function failedDisruption({ disrupt }: Outside, members: readonly Member[]): Stop | undefined {
  const failed = disrupt?.failed(sumCounts(members.map((member) => member.status?.result?.counts ?? {})));
  return failed && { code: failed.code, evidence: [failed.evidence] };
}

/** How many clients are missing, in words; undefined if there are enough. */
function shortfall(scenario: Scenario, asked: number, members: readonly Member[]): string | undefined {
  const { subscribers = 0 } = figuresOf(members);
  const needed = scenario.isCapacity ? 0 : asked * readyShare;
  return subscribers >= needed ? undefined : `${asked} clients asked, ${subscribers} subscribers`;
}
