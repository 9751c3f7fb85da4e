import { type ExitName, worstExit } from '../../contract/exit-codes.js';
import type { Problem } from '../../contract/problems.js';
import { version } from '../../contract/version.js';
import { countText } from '../../units/text.js';
import { seconds } from './print.js';
import { type DrillFinding, type FindingCode, findingCodes, findingTable, type ShardDrill } from './schema.js';

/** Milliseconds. Wall clocks further apart give misleading report times. */
const offFromMs = 1000;
const lossyFrom = 0.005;
/** Fewer lost segments are chance: at 0.1 %, three of five hundred are lost in one drill of fifty. */
const leastLost = 3;

/** Holds a shard that can't take part, and why. */
export interface AbsentShard {
  url: string;
  problem: Problem;
}

/** Returns everything that is wrong with a fleet, the gravest first. `targetFix` mends a target that was refused. */
export function judgeDrill(
  shards: readonly ShardDrill[],
  absent: readonly AbsentShard[] = [],
  targetFix?: string,
): DrillFinding[] {
  const here = shards.filter(({ lost }) => lost === undefined);
  const found = [
    ...absent.map(({ url, problem: { message, hint } }) => finding('absent', [url], message, hint)),
    ...shards.flatMap(({ url, lost }) => (lost === undefined ? [] : [finding('lost', [url], lost)])),
    ...differences(here),
    ...missedTarget(here, targetFix),
    ...here.flatMap((shard) => [...ofLoop(shard), ...ofPath(shard), ...ofClock(shard)]),
  ];
  return found.sort((a, b) => findingCodes.indexOf(a.code) - findingCodes.indexOf(b.code));
}

/** Returns the exit of a drill with these findings. */
export function drillExit(findings: readonly DrillFinding[]): ExitName {
  return worstExit(findings.map(({ code }) => findingTable[code].exit));
}

function finding(code: FindingCode, urls: string[], text: string, fix: string = findingTable[code].fix): DrillFinding {
  return { code, urls, text, fix };
}

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

function missedTarget(shards: readonly ShardDrill[], fix: string | undefined): DrillFinding[] {
  const byReason = new Map<string, string[]>();
  for (const { url, path } of shards)
    if (path?.isMeasured === false) byReason.set(path.why, [...(byReason.get(path.why) ?? []), url]);
  return [...byReason].map(([why, urls]) =>
    finding('targetMissed', urls, `${urls.join(', ')}: the target delivered nothing: ${why}`, fix),
  );
}

function ofLoop({ url, loop }: ShardDrill): DrillFinding[] {
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

function ofPath({ url, path }: ShardDrill): DrillFinding[] {
  if (!path?.isMeasured || (path.lateShare ?? 0) < lossyFrom || (path.lost ?? 0) < leastLost) return [];
  return [finding('lossyPath', [url], `${url}: on the way to the target, ${path.tcp}`)];
}

function ofClock({ url, clock }: ShardDrill): DrillFinding[] {
  if (!clock || Math.abs(clock.offsetMs) - clock.uncertaintyMs <= offFromMs) return [];
  const side = clock.offsetMs > 0 ? 'ahead of' : 'behind';
  const off = `${seconds(Math.abs(clock.offsetMs))} ${side} the driver's`;
  return [finding('clockOff', [url], `${url}: its clock is ${off}`)];
}
