import { setTimeout as delay } from 'node:timers/promises';
import type { Stop, StopCode } from '../contract/stop-reasons.js';
import { sumCounts } from '../measure/samples/sample-sum.js';
import { fullGates, thereFigure, waitedGates } from '../scenarios/crowd-gates.js';
import { loginGate, type PlannedStage } from '../scenarios/rounds.js';
import { exchangeGate, type FailedDisruption, type Scenario } from '../scenarios/scenario.js';
import { type Member, pollPauseMs, refuseTaken } from './shards/member.js';
import { secondsInWords } from './shards/partial-body.js';
import type { HowToEnd } from './shards/shard-client.js';
import { exchangeSends } from './shards/shard-clock.js';

/** Longest delay that a silent shard causes for the others. */
const patienceMs = 1000;
/** All shards must receive the order before the stage starts. */
const gateDelayMs = 300;
/** A single shard only wakes its workers. */
const wakeDelayMs = 10;
const endWithinMs = 20_000;
/** Longest wait for pending deliveries when a user ends a run. Then they count as lost. */
export const finishWithinMs = 15_000;
/** What is under way is no loss of a run that its user ends, or that loses a shard. */
const finishing: Partial<Record<WatchEnd['code'], HowToEnd>> = {
  endedByUser: 'finish',
  knownEnough: 'finish',
  shardLost: 'finishPart',
};
/** A silent shard has its whole lease, unless a user waits for the end. */
const silentAfterInterruptMs = 10_000;
/** Share of clients that must be ready before the first gate opens, unless their number is the subject. */
const readyShare = 0.99;

/** Events outside the shards that affect a run, and its callbacks. */
interface Outside {
  interrupt: AbortSignal;
  /** Set if a run that its user ends waits for pending deliveries, so that its figures cover what arrived. */
  keepsPart?: boolean | undefined;
  /** Resolves with the reason when a target that we started is gone. */
  targetGone: Promise<string>;
  /** Called after each round of polls. `elapsedMs` counts from the start of the watch. A reason ends the run. */
  look(members: readonly Member[], elapsedMs: number): Stop | undefined;
  /** Returns the common start of the stage behind a gate; undefined until all runs have arrived. */
  standsAt?: ((gate: string) => number | undefined) | undefined;
  /** Waits for `ms`, or until the runs arrive for which this one waits. */
  pause?: ((ms: number) => Promise<void>) | undefined;
  disrupt?: Disrupt | undefined;
  /** Maps each gate that an earlier driver opened to whether the round behind it is skipped. */
  openedBefore?: ReadonlyMap<string, boolean> | undefined;
}

/** Action on the target when the stage behind `gate` begins. No other gate opens meanwhile. */
export interface Disrupt {
  gate: string;
  act(): Promise<void>;
  /** Returns the reason why the target was not disrupted, from the counts of all shards; undefined if it was. */
  failed(counts: Readonly<Record<string, number>>): FailedDisruption | undefined;
}

/** The last two become stop reasons when the causes are known. */
export type WatchEnd =
  | Stop
  | { code: 'audienceShort'; evidence: string[] }
  | { code: 'publishesUntaken'; evidence: string[] };

/** Polls every shard until all are done or lost. Returns the reason if the driver ended the run. */
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
  const howToEnd = (): HowToEnd | undefined => {
    if (!end) return undefined;
    return (performance.now() - endedMs < finishWithinMs && finishing[end.code]) || 'cancel';
  };
  const overdue = (member: Member): string | undefined => {
    const nowMs = performance.now();
    const withinMs = endWithinMs + (end && finishing[end.code] ? finishWithinMs : 0);
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
  const opened = new Map(outside.openedBefore);
  let enough: Stop | undefined;
  const ofMember = (member: Member): Stop | undefined => stopOf(member, outside.openedBefore !== undefined);
  let isDisrupting = false;

  const isAllowed = (gate: string): boolean => {
    if (isDisrupting) return false;
    const { clients: asked = 0, round = 0 } = stages.find((stage) => stage.gate === gate) ?? {};
    const short = shortfall(scenario, asked, members);
    if (short === undefined) return true;
    // Earlier rounds had all their clients, so the limit of the target is the result of the run.
    if (round > 0) enough = { code: 'clientsShort', evidence: [`round ${round + 1}: ${short}`] };
    else finish({ code: 'audienceShort', evidence: [short] });
    return round > 0;
  };
  const isLast = (gate: string): boolean => {
    const evidence = stages.find((stage) => stage.gate === gate)?.enough?.(figuresOf(members));
    if (evidence !== undefined) enough = { code: 'limitReached', evidence: [evidence] };
    return enough !== undefined;
  };
  const openGate = async (): Promise<void> => {
    // A run that its user ends goes through one gate more, without the shards that are over.
    const there = end ? members.filter((member) => !member.isOver) : members;
    const gate = there.map((member) => member.status?.waitingFor).find((name) => typeof name === 'string');
    if (!gate || (end && gate !== exchangeGate)) return;
    const waiting = there.filter((member) => member.status?.waitingFor === gate);
    const isFirst = !opened.has(gate);
    if (isFirst) {
      if (waiting.length < there.length || !there.every((member) => member.isHeard)) return;
      if (!isAllowed(gate)) return;
    }
    // Other targets of a comparison may have no logins.
    const standsAt = gate === loginGate ? undefined : outside.standsAt;
    const commonMs = standsAt?.(gate);
    if (standsAt && commonMs === undefined) return;
    if (isFirst) {
      opened.set(gate, isLast(gate));
    }
    if (isFirst && gate === exchangeGate && members.length > 1) await exchangeSends(members);
    const disruption = gate === outside.disrupt?.gate ? outside.disrupt : undefined;
    const ownMs = members.length > 1 || disruption ? gateDelayMs : wakeDelayMs;
    const delayMs = commonMs === undefined ? ownMs : Math.max(0, commonMs - performance.now());
    await Promise.all(waiting.map((member) => member.openGate(gate, delayMs, opened.get(gate) ?? false)));
    // Only now does every shard know its start time.
    if (isFirst && disruption) void disrupt(disruption);
  };
  const openCrowdGates = async (): Promise<void> => {
    const isKnown = members.every(({ status, isHeard }) => isHeard && status && thereFigure in status.progress);
    const found = isKnown ? fullGates(figuresOf(members)).filter((gate) => !opened.has(gate)) : [];
    for (const gate of found) opened.set(gate, false);
    const orders = members.flatMap((member) => {
      const waited = waitedGates(member.status?.progress ?? {}).filter((gate) => opened.has(gate));
      return member.isOver ? [] : [...new Set([...found, ...waited])].map((gate) => member.openGate(gate, 0, false));
    });
    await Promise.all(orders);
  };
  const disrupt = async ({ gate, act }: Disrupt): Promise<void> => {
    isDisrupting = true;
    await delay(gateDelayMs);
    const stage = stages.find((each) => each.gate === gate)?.name;
    // A worker that has not received the order would assign its cuts to an earlier restart.
    const hasBegun = ({ status }: Member): boolean => status?.stages.some(({ name }) => name === stage) ?? false;
    while (!end && members.some((member) => !member.isOver && !hasBegun(member))) await delay(wakeDelayMs);
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
    const isKnown = outside.look(members, performance.now() - startMs);
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
    if (isKnown) finish(isKnown);
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
    if (!end || howToEnd() === 'finish') await openGate();
    if (!end) await openCrowdGates();
    // Shards answer when they have news. Older versions answer at once.
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

function placesOf(members: readonly Member[]): string {
  return members.map(({ status }) => `${status?.state} ${status?.waitingFor}`).join();
}

/** A lease that ran out without an interrupt of this driver is a lost shard. */
const stopOfRunner: Partial<Record<StopCode, StopCode>> = { shardEnded: 'shardEnded', interrupted: 'shardLost' };

/** Returns the reason why a shard's part ended. A reason of the bench-runner itself names the bench-runner. */
function stopOf({ status, url }: Member, isAttached: boolean): Stop | undefined {
  const stop = status?.result?.stop;
  // The silent driver was an earlier one.
  if (isAttached && stop?.code === 'interrupted') return stop;
  const code = stop && stopOfRunner[stop.code];
  return code === undefined ? stop : { code, evidence: stop?.evidence.map((text) => `${url}: ${text}`) ?? [] };
}

function figuresOf(members: readonly Member[]): Record<string, number> {
  return sumCounts(members.map((member) => member.status?.progress ?? {}));
}

function failedDisruption({ disrupt }: Outside, members: readonly Member[]): Stop | undefined {
  const failed = disrupt?.failed(sumCounts(members.map((member) => member.status?.result?.counts ?? {})));
  return failed && { code: failed.code, evidence: [failed.evidence] };
}

function shortfall(scenario: Scenario, asked: number, members: readonly Member[]): string | undefined {
  const { subscribers = 0 } = figuresOf(members);
  const needed = scenario.isCapacity ? 0 : asked * readyShare;
  return subscribers >= needed ? undefined : `${asked} clients asked, ${subscribers} subscribers`;
}
