import { median } from 'simple-statistics';
import { type ExitName, worstExit } from '../../contract/exit-codes.js';
import { version } from '../../contract/version.js';
import { milliseconds } from '../../render/words/values.js';
import { silentAfterMs } from '../../results/progress.js';
import { countText, plural, shareOf } from '../../units/text.js';
import { type FindingCode, findingTable } from './finding-table.js';
import type { AbsentShard } from './greet.js';
import { about, bytesPerSecond, drillPercent, ppm, seconds } from './print.js';
import type { DrillFinding, ShardDrill } from './schema.js';

/** Milliseconds. Wall clocks further apart give misleading report times. */
const offFromMs = 1000;
/** Crystals stay within 100 ppm, and time daemons slew by 500 ppm at most. */
const driftFromPpm = 600;
const farFromMs = 500;
/** Bytes per second. Below it, a million samples of four bytes take more than four seconds. */
const narrowBelow = 1_000_000;
const lossyFrom = 0.005;
/** Fewer lost segments are chance: at 0.1 %, three of five hundred are lost in one drill of fifty. */
const leastLost = 3;
/** Share of the cores of a machine. */
const othersFrom = 0.25;
const stolenFrom = 0.05;
const throttledFrom = 0.01;
const coreWaitFrom = 0.1;
/** A shard that can take less than this share of the middle one slows the others down. */
const slowBelow = 0.5;

/** Holds facts that only the whole drill knows. */
export interface WholeDrill {
  absent: readonly AbsentShard[];
  /** Jumps of the driver's wall clock in milliseconds. */
  driverStepsMs: readonly number[];
  /** Replaces the fix of the table, for a target that was refused. */
  targetFix?: string | undefined;
}

/** Returns everything that is wrong with a fleet, the gravest first. */
export function judgeDrill(
  shards: readonly ShardDrill[],
  { absent, driverStepsMs, targetFix }: WholeDrill,
): DrillFinding[] {
  const here = shards.filter(({ lost }) => lost === undefined);
  const found = [
    ...absent.map(({ url, problem: { message, hint } }) => finding('absent', [url], message, hint)),
    ...shards.flatMap(({ url, lost }) => (lost === undefined ? [] : [finding('lost', [url], lost)])),
    ...differences(here),
    ...missedTarget(here, targetFix),
    ...here.flatMap((shard) => [...ofLoads(shard), ...ofCpu(shard), ...ofClock(shard), ...ofLink(shard)]),
    ...slowOnes(here),
    ...driverStepsMs.map((ms) => finding('clockSteps', [], `the driver: its clock jumped by ${seconds(ms)}`)),
  ];
  const order = Object.keys(findingTable);
  return found.sort((a, b) => order.indexOf(a.code) - order.indexOf(b.code));
}

/** Returns the exit of a drill with these findings. */
export function drillExit(findings: readonly DrillFinding[]): ExitName {
  return worstExit(findings.map(({ code }) => findingTable[code].exit));
}

function finding(code: FindingCode, urls: string[], text: string, fix: string = findingTable[code].fix): DrillFinding {
  return { code, urls, text, fix };
}

/** Returns findings for what should be the same on the driver and on every shard. */
function differences(shards: readonly ShardDrill[]): DrillFinding[] {
  const others = shards.filter((shard) => shard.version !== version);
  const without = shards.filter(({ engine }) => engine.name === 'js');
  const isMixed = without.length > 0 && without.length < shards.length;
  return [
    ...others.map((shard) => {
      const text = `${shard.url}: it runs version ${shard.version}, the driver ${version}`;
      return finding('versionsDiffer', [shard.url], text);
    }),
    ...(isMixed ? without : []).map(({ url, engine: { why } }) =>
      finding('enginesDiffer', [url], `${url}: it lacks the native engine that others have${why ? ` (${why})` : ''}`),
    ),
  ];
}

/** Returns one finding for all shards that missed the target for the same reason. */
function missedTarget(shards: readonly ShardDrill[], fix: string | undefined): DrillFinding[] {
  const byReason = new Map<string, string[]>();
  for (const { url, path } of shards)
    if (path?.isMeasured === false) byReason.set(path.why, [...(byReason.get(path.why) ?? []), url]);
  return [...byReason].map(([why, urls]) =>
    finding('targetMissed', urls, `${urls.join(', ')}: the target delivered nothing: ${why}`, fix),
  );
}

function ofLoads({ url, loop, path }: ShardDrill): DrillFinding[] {
  return [...ofLoop(url, loop), ...ofPath(url, path)];
}

function ofLoop(url: string, loop: ShardDrill['loop']): DrillFinding[] {
  if (!loop.isMeasured) {
    const { isAllowed, why } = loop;
    if (!isAllowed) return [finding('loopUnmeasured', [url], `${url}: no delivery was tried: ${why}`)];
    return [finding('deliveriesLost', [url], `${url}: nothing was delivered on its own loopback: ${why}`)];
  }
  const { expected, delivered } = loop;
  if (delivered >= expected) return [];
  const lost = `${countText(expected - delivered)} of ${countText(expected)} deliveries`;
  return [finding('deliveriesLost', [url], `${url}: ${lost} were lost on its own loopback`)];
}

function ofPath(url: string, path: ShardDrill['path']): DrillFinding[] {
  if (!path?.isMeasured) return [];
  if ((path.lateShare ?? 0) < lossyFrom || (path.lost ?? 0) < leastLost) return [];
  return [finding('lossyPath', [url], `${url}: on the way to the target, ${path.tcp}`)];
}

function ofCpu({ url, cpu }: ShardDrill): DrillFinding[] {
  const above = (
    code: FindingCode,
    value: number | null,
    from: number,
    say: (share: string) => string,
  ): DrillFinding[] =>
    value === null || value < from ? [] : [finding(code, [url], `${url}: ${say(drillPercent(value))}`)];
  const quota = cpu.quotaCores === null ? 'its CPU limit' : `its limit of ${cpu.quotaCores} cores`;
  const others = `other programs use ${(cpu.othersCores ?? 0).toFixed(1)} of its ${plural(cpu.cores, 'core')}`;
  return [
    ...above('othersBusy', (cpu.othersCores ?? 0) / cpu.cores, othersFrom, () => others),
    ...above('throttled', cpu.throttledShare, throttledFrom, (share) => `${quota} stopped it ${share} of the time`),
    ...above('stolen', cpu.stolenShare, stolenFrom, (share) => `the hypervisor took ${share} of its cores`),
    ...above('coreWait', cpu.coreWaitShare, coreWaitFrom, (share) => `it waited for a core ${share} of the time`),
  ];
}

function ofClock({ url, clock }: ShardDrill): DrillFinding[] {
  if (!clock) return [];
  const { offsetMs, uncertaintyMs, drift, stepsMs } = clock;
  const found = stepsMs.map((ms) => finding('clockSteps', [url], `${url}: its clock jumped by ${seconds(ms)}`));
  if (Math.abs(offsetMs) - uncertaintyMs > offFromMs) {
    const side = offsetMs > 0 ? 'ahead of' : 'behind';
    found.push(finding('clockOff', [url], `${url}: its clock is ${seconds(Math.abs(offsetMs))} ${side} the driver's`));
  }
  if (drift && Math.abs(drift.ppm) - drift.uncertaintyPpm > driftFromPpm)
    found.push(finding('clockDrifts', [url], `${url}: its clock runs ${ppm(drift.ppm)} off the driver's`));
  return found;
}

function ofLink({ url, roundTrip, link }: ShardDrill): DrillFinding[] {
  const found: DrillFinding[] = [];
  if (roundTrip && (roundTrip.medianMs > farFromMs || roundTrip.worstMs > silentAfterMs)) {
    const [middle, worst] = [roundTrip.medianMs, roundTrip.worstMs].map((ms) => milliseconds(ms * 1000));
    found.push(finding('farAway', [url], `${url}: its answers take ${middle} ms, at the worst ${worst} ms`));
  }
  if (link.bytes > 0 && link.bytesPerSecond < narrowBelow)
    found.push(finding('narrowLink', [url], `${url}: the driver gets ${bytesPerSecond(link.bytesPerSecond)} from it`));
  const { lost, segments } = link;
  if (lost !== null && segments !== null && lost >= leastLost && lost > segments * lossyFrom) {
    const share = shareOf(lost, segments);
    found.push(finding('lossyLink', [url], `${url}: ${share} of what it sent to the driver was lost and sent again`));
  }
  return found;
}

function slowOnes(shards: readonly ShardDrill[]): DrillFinding[] {
  const measured = shards.flatMap(({ url, loop }) => (loop.isMeasured ? [{ url, perSecond: loop.perSecond }] : []));
  if (measured.length < 2) return [];
  const middle = median(measured.map(({ perSecond }) => perSecond));
  return measured
    .filter(({ perSecond }) => perSecond < middle * slowBelow)
    .map(({ url, perSecond }) => {
      const rates = `about ${about(perSecond)} deliveries a second, the middle one ${about(middle)}`;
      return finding('slowShard', [url], `${url}: it can take ${rates}; it limits them all`);
    });
}
