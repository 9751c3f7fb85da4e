import { type ExitName, worstExit } from '../../contract/exit-codes.js';
import type { Demand } from '../../contract/job.js';
import type { ShardInfo, ShardResult } from '../../contract/shard.js';
import { adviceOn, isShort, type Stop, type StopCode, standsShort, stopReasons } from '../../contract/stop-reasons.js';
import type { Talk } from '../../measure/causes.js';
import type { Events } from '../../measure/declaration.js';
import { countIn, type LedgerEntries } from '../../measure/ledger.js';
import { sumCounts } from '../../measure/samples/sample-sum.js';
import { shareOf } from '../../measure/share.js';
import type { ShardFacts, ThresholdFacts } from '../../measure/verdict/facts.js';
import { holdsOf, isPlannedEnd, type RunResult } from '../../results/result.js';
import type { Scenario } from '../../scenarios/scenario.js';
import type { TargetWall, WallSign } from '../../targets/observe/evidence.js';
import { causesInWords, commonestFirst, countText, kindOfCause } from '../../units/text.js';
import type { Collected } from '../shards/collect.js';
import { secondsInWords } from '../shards/partial-body.js';
import { finishWithinMs, type WatchEnd } from '../watch.js';
import { proposalFor } from './proposals.js';
import { causesOfTarget, notAcked, shortfallOf, untakenCode } from './shortfall.js';

const timeouts = ['connect-timeout', 'subscribe-timeout', 'heartbeat-timeout'];
const refusals = ['http-status', 'rejected', 'close-code'];
const stopOfCause: Readonly<Record<string, StopCode>> = {
  'ports-exhausted': 'portsExhausted',
  'descriptors-exhausted': 'descriptorsExhausted',
  'source-address': 'sourceAddressLost',
  ...Object.fromEntries(timeouts.map((cause) => [cause, 'handshakeTimeouts' as const])),
};

/** Stop codes of a bench-runner that ran out of a resource, whatever the capacity of the target. */
const lacksOfRig: readonly StopCode[] = ['portsExhausted', 'descriptorsExhausted', 'sourceAddressLost'];

/** Kinds of causes that show that nothing answers. A full accept queue, or a rig without ports, shows others. */
const nobodyThere = ['connect-refused', 'tls', 'bad-upgrade'];
const noWay = ['ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'].map((code) => `network:${code}`);
const isNobody = (cause: string): boolean => nobodyThere.includes(kindOfCause(cause)) || noWay.includes(cause);

const completed: Stop = { code: 'completed', evidence: [] };

/** Returns the stop reason of a run, from the driver, a shard, or the causes and the ledger. */
export function stopOf(
  scenario: Scenario,
  end: WatchEnd | undefined,
  collected: Collected,
  ledger: LedgerEntries,
  walls: readonly WallSign[],
  thresholds: readonly ThresholdFacts[] = [],
): Stop {
  const untaken = (evidence: readonly string[]): Stop => ({
    code: untakenCode(collected),
    evidence: [...evidence, ...notAcked(ledger, collected)],
  });
  if (end?.code === 'audienceShort') return audienceStop(end.evidence, collected);
  if (end?.code === 'publishesUntaken') return untaken(end.evidence);
  if (end?.code === 'endedByUser' && scenario.work) return { ...end, ...partOf(scenario.work, ledger, collected) };
  if (end?.code === 'targetGone') return { code: end.code, evidence: [...end.evidence, ...memoryEvidence(walls)] };
  const whole = end ?? completed;
  if (!stopReasons[whole.code].isComplete) return whole;
  // A shard can still be lost while its samples are fetched.
  const lost = collected.parts.filter(({ state }) => state === 'lost');
  if (lost.length > 0) {
    const code = lost.every(({ fault }) => fault === 'samplesDamaged') ? 'samplesDamaged' : 'shardLost';
    return { code, evidence: lost.map(({ url, why }) => `${url}: ${why}`) };
  }
  if (!end && scenario.isCapacity) return capacityStop(collected, walls);
  const { attempted = 0, acked = 0 } = ledger as Record<string, number>;
  if (!end && attempted > 0 && acked === 0) return untaken([]);
  const planned = whole.code === 'clientsShort' ? laterStop(whole, collected) : whole;
  if (!stopReasons[planned.code].isComplete) return planned;
  return shortfallOf(scenario, collected, ledger, thresholds) ?? planned;
}

function partOf(
  { name, entry }: Events,
  ledger: LedgerEntries,
  { parts, results }: Pick<Collected, 'parts' | 'results'>,
): Pick<Stop, 'code' | 'evidence'> {
  const lost = parts.filter(({ state }) => state === 'lost');
  if (lost.length > 0)
    return { code: 'interrupted', evidence: ['by you', ...lost.map(({ url, why }) => `${url}: ${why}`)] };
  const done = countIn(ledger, entry) ?? 0;
  if (done === 0) return { code: 'interrupted', evidence: [`by you, before the first ${name} was measured`] };
  const these = done === 1 ? `this ${name}` : `these ${countText(done)} ${name}s`;
  const isAll = results.every(({ stop }) => stop.code === 'completed');
  const cut = `what was still under way ${secondsInWords(finishWithinMs)} later counts as lost`;
  return { code: 'endedByUser', evidence: [`the figures hold for ${these}`, ...(isAll ? [] : [cut])] };
}

/** A process that was killed for its memory ends by SIGKILL like any other: only memory shows it. */
function memoryEvidence(walls: readonly WallSign[]): string[] {
  return walls.filter(({ wall }) => wall === 'memoryWall').map(({ evidence }) => evidence);
}

/** A target that cuts connections also refuses. */
function audienceStop(evidence: string[], collected: Collected): Stop {
  const failures = failuresOf(collected);
  const commonest = commonestOf(failures);
  if (commonest === undefined) return { code: 'refused', evidence };
  const isUnreachable = isNobody(commonest) && (collected.counts.opened ?? 0) === 0;
  const code = isUnreachable ? 'targetUnreachable' : (stopOfCause[kindOfCause(commonest)] ?? 'refused');
  return { code, evidence: [...evidence, causesInWords(failures)] };
}

function failuresOf({ causes }: Pick<Collected, 'causes'>): Record<string, number> {
  return sumCounts([causes.connect ?? {}, causes.close ?? {}]);
}

const commonestOf = (causes: Readonly<Record<string, number>>): string | undefined => commonestFirst(causes)[0]?.[0];

/** Adds advice on what to check. If some clients connected, or publishes were accepted, the address was right. */
export function advised(
  stop: Stop,
  { causes, counts, talk }: Pick<Collected, 'causes' | 'counts'> & { talk?: Talk },
  protocol: string,
): Stop {
  const isOfPublishes = stop.code === 'publishRefused' || stop.code === 'publishFailed';
  const isRightAddress = !isOfPublishes && (counts.opened ?? 0) > 0;
  const failed = isOfPublishes ? causesOfTarget({ causes }) : failuresOf({ causes });
  const commonest = commonestOf(failed);
  const proposal = talk && proposalFor({ code: stop.code, cause: commonest, talk, protocol });
  const advice = proposal ?? adviceOn(stop.code, isRightAddress ? undefined : commonest, protocol);
  return advice === undefined ? stop : { ...stop, advice };
}

/** In a later round missing clients are a result, unless the rig ran out. */
function laterStop({ code, evidence }: Stop, collected: Collected): Stop {
  const found = audienceStop(evidence, collected);
  return lacksOfRig.includes(found.code) ? found : { code, evidence: found.evidence };
}

const stopOfWall: Readonly<Record<TargetWall, StopCode>> = {
  memoryWall: 'memoryWall',
  corePinned: 'corePinned',
  acceptOverflow: 'acceptOverflow',
  descriptorWall: 'targetDescriptors',
};

/** Returns the stop reason of a capacity run: by limits of the rig, answers, observations, then timeouts. */
function capacityStop(collected: Collected, walls: readonly WallSign[]): Stop {
  const { asked = 0, opened = 0, open = 0, held = open } = collected.counts;
  const causes = collected.causes.connect ?? {};
  const cut = collected.causes.close ?? {};
  const evidence = [
    `${asked} asked, ${opened} opened, ${held} held`,
    ...(Object.keys(causes).length > 0 ? [`not opened: ${causesInWords(causes)}`] : []),
    ...(Object.keys(cut).length > 0 ? [`cut: ${causesInWords(cut)}`] : []),
    ...(open > held ? [`not reached by the probe: ${open - held}`] : []),
  ];
  if (opened >= asked)
    return held >= asked ? { code: 'completed', evidence: [] } : { code: 'connectionsLost', evidence };
  if (isDead(collected)) return { code: 'targetGone', evidence: [...evidence, ...memoryEvidence(walls)] };
  const kinds = new Set(Object.keys(causes).map(kindOfCause));
  const saturated = saturatedWorkers(collected.results);
  const sign = (wall: TargetWall): WallSign | undefined => walls.find((each) => each.wall === wall);
  const stopAt = (code: StopCode, more: string[] = []): Stop => ({ code, evidence: [...evidence, ...more] });
  const commonest = commonestOf(causes) ?? '';
  const lack = lacksOfRig.find((code) => code === stopOfCause[commonest]);
  if (lack !== undefined) return stopAt(lack);
  if (opened === 0 && isNobody(commonest) && !sign('acceptOverflow')) return stopAt('targetUnreachable');
  const isRefused = refusals.some((kind) => kinds.has(kind));
  // A target that refuses may reach the same count on every shard.
  if (!isRefused && isUniform(collected.results)) return stopAt('uniformCeiling');
  const hard = sign('memoryWall') ?? sign('descriptorWall');
  const soft = sign('acceptOverflow') ?? sign('corePinned');
  const found = hard ?? (isRefused ? undefined : soft);
  if (found) return stopAt(stopOfWall[found.wall], [found.evidence]);
  if (isRefused) return stopAt('refused');
  if (saturated.length > 0) return stopAt('rigSaturated', saturated);
  return stopAt(timeouts.some((kind) => kinds.has(kind)) ? 'handshakeTimeouts' : 'refused');
}

function isDead({ counts, causes }: Collected): boolean {
  const cut = causes.close ?? {};
  const silent = (cut.reset ?? 0) + (cut['end-of-stream'] ?? 0);
  return (counts.opened ?? 0) > 0 && silent === counts.opened && (causes.connect?.['connect-refused'] ?? 0) > 0;
}

function isUniform(results: readonly ShardResult[]): boolean {
  const opened = results[0]?.counts.opened ?? 0;
  // Shards that opened nothing did not reach a ceiling.
  return (
    results.length > 1 &&
    opened > 0 &&
    results.every(({ counts }) => counts.opened === opened && opened < (counts.asked ?? 0))
  );
}

function saturatedWorkers(results: readonly ShardResult[]): string[] {
  return results.flatMap(({ slice, rig }) =>
    rig.workers
      .filter(({ role, utilization }) => role === 'audience' && utilization > 0.9)
      .map(
        ({ index, utilization }) =>
          `shard ${slice.index} worker ${index} was busy ${(utilization * 100).toFixed(0)} % of the time`,
      ),
  );
}

export function cutShortBy(stop: Stop, scenario: Scenario): string | undefined {
  return isPlannedEnd(stop.code, scenario) || standsShort(stop.code) ? undefined : stopReasons[stop.code].title;
}

/** The state of the shards before their job, by result, the uses of their port range, and what was asked of all. */
interface Beforehand {
  infos: readonly ShardInfo[];
  portRanges: number;
  demand: Parameters<typeof shareOfShard>[1];
}

/** Returns the number of clients and measured broadcasts of a shard. Warm-up broadcasts are distributed first. */
export function shareOfShard(
  { index, of }: { index: number; of: number },
  {
    clients,
    broadcasts,
    measuredBroadcasts: measured,
  }: Pick<Demand, 'clients' | 'broadcasts'> & {
    measuredBroadcasts?: number | undefined;
  },
): ShardFacts['dealt'] {
  return {
    clients: shareOf(clients, index, of),
    broadcasts:
      measured === undefined ? null : shareOf(broadcasts, index, of) - shareOf(broadcasts - measured, index, of),
  };
}

export function shardFacts(results: readonly ShardResult[], { infos, portRanges, demand }: Beforehand): ShardFacts[] {
  return results.map((result, index) => ({
    dealt: shareOfShard(result.slice, demand),
    label: `shard ${result.slice.index}`,
    asked: result.counts.asked ?? 0,
    ready: result.counts.subscribers ?? 0,
    refused: refusedIn(result),
    published: result.counts.attempted ?? 0,
    received: result.counts.received ?? 0,
    descriptorsUsed: result.rig.shard.descriptorsUsed,
    descriptorLimit: result.rig.shard.descriptorLimit,
    clockId: result.clockId,
    clockIdBefore: infos[index]?.clockId ?? null,
    coreBusy: result.rig.shard.coreBusy,
    stolenShare: result.rig.shard.stolenShare,
    stampedByLoops: isStampedByLoops(result),
    timeWait: result.rig.shard.timeWait,
    sourcePorts: portsOf(infos[index], portRanges),
    workers: result.rig.workers.map((worker) => ({
      ...worker,
      label: worker.role === 'publisher' ? 'publisher' : `worker ${worker.index}`,
      holdsSubscribers: worker.role === 'audience',
    })),
  }));
}

/** Clients of libraries have no engine. */
function isStampedByLoops({ rig: { engines = [] } }: ShardResult): boolean {
  return engines.length === 0 || engines.some(({ name }) => name !== 'native');
}

function portsOf(info: ShardInfo | undefined, portRanges: number): number | null {
  const ports = info?.limits.sourcePorts ?? null;
  return ports === null ? null : ports * portRanges;
}

function refusedIn({ causes }: ShardResult): number {
  const all = Object.entries(sumCounts([causes.connect ?? {}, causes.close ?? {}]));
  return all.reduce((sum, [cause, times]) => sum + (refusals.includes(kindOfCause(cause)) ? times : 0), 0);
}

/** Returns the exit of a run. In strict mode, one marked figure fails. */
export function runExit(
  { stop, verdict, thresholds }: Pick<RunResult, 'stop' | 'verdict' | 'thresholds'>,
  scenario: Scenario,
  isStrict: boolean,
): ExitName {
  const byVerdict = isSure(verdict, isStrict) ? 'clean' : 'rig';
  const byThresholds = thresholdsExit(thresholds);
  const { exit } = stopReasons[stop.code];
  if (isPlannedEnd(stop.code, scenario)) return worstExit([byVerdict, byThresholds]);
  return worstExit(isShort(stop.code) ? [byVerdict, exit, byThresholds] : [exit, byThresholds]);
}

/** Returns the exit of the thresholds. An undecided threshold does not outweigh one that certainly broke. */
export function thresholdsExit(thresholds: RunResult['thresholds']): ExitName {
  const states = thresholds.map(holdsOf);
  return states.includes('no') ? 'threshold' : states.includes('open') ? 'rig' : 'clean';
}

/** Returns true if the verdict is clean; in strict mode, only if no figure is marked either. */
export function isSure({ rig, bounds = [] }: RunResult['verdict'], isStrict: boolean): boolean {
  return rig === 'clean' && !(isStrict && bounds.length > 0);
}
