import { setTimeout as delay } from 'node:timers/promises';
import type { Stop, StopCode } from '../contract/stop-reasons.js';
import { sumCounts } from '../measure/samples/sums.js';
import type { PlannedStage } from '../scenarios/rounds.js';
import type { FailedDisruption, Scenario } from '../scenarios/scenario.js';
import { type Member, pollEveryMs } from './shards/member.js';
import { secondsInWords } from './shards/no-answer.js';

/** One shard that does not answer keeps nobody from hearing the others. */
const patienceMs = 1000;
/** Time for the opening of a gate to reach every shard before the stage behind it starts. */
const gateDelayMs = 300;
const endWithinMs = 20_000;

/** What ends a run from outside the shards. */
export interface Outside {
  /** Aborted when the user ends the run. */
  interrupt: AbortSignal;
  /** Resolves when a target that we started is gone, with how it went. */
  targetGone: Promise<string>;
  /** Called after each round of polls; `elapsedMs` is since the watch began. */
  look(members: readonly Member[], elapsedMs: number): void;
  /** Out of the live figures of all shards, why the run ends as one whose publishes the target takes none of. */
  takesNone(figures: Readonly<Record<string, number>>): string | undefined;
  /** Done to the target as the stage behind that gate begins; where it rejects, the run ends as a failed restart. */
  disrupt?: Disrupt | undefined;
}

/** What the driver does in the middle of a run. No further gate is opened while it is doing it. */
interface Disrupt {
  gate: string;
  act(): Promise<void>;
  /** Out of the counts of all shards, why it was none. */
  failed(counts: Readonly<Record<string, number>>): FailedDisruption | undefined;
}

/** `audienceShort` and `publishesUntaken` become stop reasons once the causes are known. */
export type WatchEnd =
  | Stop
  | { code: 'audienceShort'; evidence: string[] }
  | { code: 'publishesUntaken'; evidence: string[] };

/**
 * Polls every shard until all are done or lost; opens each gate when all stand before it and are heard of. Anything that ends the run early cancels
 * it on every shard, and what they measured is kept. Gives what the driver itself saw end the run, if it did.
 */
export async function watch(
  scenario: Scenario,
  stages: readonly PlannedStage[],
  members: readonly Member[],
  outside: Outside,
): Promise<WatchEnd | undefined> {
  const startMs = performance.now();
  let end: WatchEnd | undefined;
  let endedMs = 0;
  const finish = (found: WatchEnd): void => {
    if (end) return;
    end = found;
    endedMs = performance.now();
  };
  outside.targetGone.then(
    (how) => finish({ code: 'targetGone', evidence: [how] }),
    () => undefined,
  );
  /** By gate, whether the round behind it is not to be. */
  const opened = new Map<string, boolean>();
  let enough: Stop | undefined;
  const isLast = (gate: string): boolean => {
    const evidence = stages.find((stage) => stage.gate === gate)?.enough?.(figuresOf(members));
    if (evidence !== undefined) enough = { code: 'limitReached', evidence: [evidence] };
    return enough !== undefined;
  };
  let isDisrupting = false;
  const disrupt = async (gate: string): Promise<void> => {
    if (gate !== outside.disrupt?.gate) return;
    isDisrupting = true;
    await delay(gateDelayMs);
    if (end) return;
    await outside.disrupt.act().catch((error: unknown) => {
      finish({ code: 'restartFailed', evidence: [error instanceof Error ? error.message : String(error)] });
    });
    isDisrupting = false;
  };
  for (;;) {
    const isEnding = end !== undefined;
    await Promise.race([Promise.all(members.map((member) => member.poll(isEnding))), delay(patienceMs)]);
    outside.look(members, performance.now() - startMs);
    if (members.every((member) => member.isOver)) break;
    if (outside.interrupt.aborted) finish({ code: 'interrupted', evidence: ['ended by the user'] });
    const untaken = outside.takesNone(figuresOf(members));
    if (untaken !== undefined) finish({ code: 'publishesUntaken', evidence: [untaken] });
    for (const member of members) {
      if (member.lost !== undefined) finish({ code: 'shardLost', evidence: [`${member.url}: ${member.lost}`] });
      else if (member.status?.state === 'done') {
        const stop = stopOf(member);
        if (stop && stop.code !== 'completed') finish(stop);
      }
    }
    // One that is silent has its lease.
    if (end && performance.now() - endedMs > endWithinMs)
      for (const member of members)
        if (!member.isOver && member.isHeard)
          member.lost = `did not end within ${secondsInWords(endWithinMs)} of being asked to`;
    if (!end) {
      const isAllowed = (gate: string) => {
        if (isDisrupting) return false;
        const { clients: asked = 0, round = 0 } = stages.find((stage) => stage.gate === gate) ?? {};
        const short = shortfall(scenario, asked, members);
        if (short === undefined) return true;
        // The rounds before it stand for what was asked: how far the target went is what the run found.
        if (round > 0) enough = { code: 'clientsShort', evidence: [`round ${round + 1}: ${short}`] };
        else finish({ code: 'audienceShort', evidence: [short] });
        return round > 0;
      };
      let gateOpened: string | undefined;
      await openGates(members, opened, isAllowed, (gate) => {
        gateOpened = gate;
        return isLast(gate);
      });
      // Only now does every shard know when it starts: what comes earlier would seem to precede the order.
      if (gateOpened !== undefined) void disrupt(gateOpened);
    }
    await delay(pollEveryMs);
  }
  const lost = members.filter((member) => member.lost !== undefined);
  if (lost.length > 0 && end?.code !== 'interrupted') {
    return { code: 'shardLost', evidence: lost.map((member) => `${member.url}: ${member.lost}`) };
  }
  const theirs = members.map(stopOf);
  return (
    end ?? theirs.find((stop) => stop && stop.code !== 'completed') ?? enough ?? failedDisruption(outside, members)
  );
}

/** What is of one bench-runner alone, and what it is for the run: one whose lease ran out did not hear this driver, whom nobody interrupted. */
const stopOfRunner: Partial<Record<StopCode, StopCode>> = { shardEnded: 'shardEnded', interrupted: 'shardLost' };

/** What ended a shard's part; what is of one bench-runner alone says of which. */
function stopOf({ status, url }: Member): Stop | undefined {
  const stop = status?.result?.stop;
  const code = stop && stopOfRunner[stop.code];
  return code === undefined ? stop : { code, evidence: stop?.evidence.map((text) => `${url}: ${text}`) ?? [] };
}

/** The live figures of all shards. */
function figuresOf(members: readonly Member[]): Record<string, number> {
  return sumCounts(members.map((member) => member.status?.progress ?? {}));
}

/** A disruption of which the run tells nothing. */
function failedDisruption({ disrupt }: Outside, members: readonly Member[]): Stop | undefined {
  const failed = disrupt?.failed(sumCounts(members.map((member) => member.status?.result?.counts ?? {})));
  return failed && { code: failed.code, evidence: [failed.evidence] };
}

async function openGates(
  members: readonly Member[],
  opened: Map<string, boolean>,
  isAllowed: (gate: string) => boolean,
  opening: (gate: string) => boolean,
): Promise<void> {
  const gate = members.map((member) => member.status?.waitingFor).find((name) => typeof name === 'string');
  if (!gate) return;
  const waiting = members.filter((member) => member.status?.waitingFor === gate);
  // A gate that was opened once is opened again for whoever the first request did not reach.
  if (!opened.has(gate)) {
    if (waiting.length < members.length || !members.every((member) => member.isHeard)) return;
    if (!isAllowed(gate)) return;
    opened.set(gate, opening(gate));
  }
  const isLast = opened.get(gate) ?? false;
  await Promise.all(waiting.map((member) => member.openGate(gate, gateDelayMs, isLast)));
}

/** How many clients are missing for what is asked, in words; undefined where enough are there. */
function shortfall(scenario: Scenario, asked: number, members: readonly Member[]): string | undefined {
  const ready = figuresOf(members)[scenario.readyCount] ?? 0;
  return ready >= asked * scenario.readyShare ? undefined : `${asked} clients asked, ${ready} ${scenario.readyCount}`;
}
