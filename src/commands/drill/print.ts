import { paint, type Style } from '../../render/words/style.js';
import { columnsOrBlocks } from '../../render/words/table.js';
import { count, plural } from '../../units/words.js';
import { findingTable } from './finding-table.js';
import type { DrillResult, Finding, ShardDrill } from './schema.js';
import { about, bytesPerSecond, percent, ppm, seconds } from './words.js';

/** A drill for the terminal: the answer, what limits it, a row or block for each shard, and what to mend. */
export function renderDrill(found: DrillResult, style: Style): string {
  const { title, aside, good, bad } = paint(style);
  const { carries, shards, findings, isReady, elapsedMs } = found;
  const { clientsLimit, deliveriesLimit } = carries;
  return [
    title(`drill  ${plural(shards.length, 'shard')}, ${(elapsedMs / 1000).toFixed(0)} s`),
    (isReady ? good : bad)(answerOf(found)),
    ...(clientsLimit ? [`  clients     ${clientsLimit.text}. ${clientsLimit.fix}`] : []),
    ...(deliveriesLimit ? [`  deliveries  ${deliveriesLimit.text}. ${deliveriesLimit.fix}`] : []),
    '',
    columnsOrBlocks(style.columns, head, shards.map(rowOf), [...head.keys()]),
    ...(findings.length > 0
      ? ['', title('to mend'), ...findings.flatMap((each, index) => findingLines(each, findings[index + 1], style))]
      : []),
    '',
    aside(
      `deliveries: computed from the CPU of a small load (${found.engine} engine), half of it kept free for bursts; ` +
        'clients: without the memory and ports of the target',
    ),
  ].join('\n');
}

/** The load that a fleet carries, in one sentence. */
export function answerOf({ carries, shards, findings, isReady }: DrillResult): string {
  const { clients, clientsLimit, deliveriesPerSecond, deliveriesLimit } = carries;
  const there = shards.filter(({ lost }) => lost === undefined).length;
  if (there === 0) return 'This fleet can carry nothing: every shard was lost.';
  const limitedBy = (limit: { by: string } | null): string => (limit ? ` (limited by ${limit.by})` : '');
  const holds = clients === null ? 'as many clients as you ask for' : `${count(clients)} clients`;
  const takes =
    deliveriesPerSecond === null
      ? '; how many deliveries per second is not known'
      : ` and about ${about(deliveriesPerSecond)} deliveries per second${limitedBy(deliveriesLimit)}`;
  const load = `can carry ${holds}${limitedBy(clientsLimit)}${takes}.`;
  const who = shards.length === 1 ? 'This shard' : `This fleet of ${shards.length} shards`;
  if (isReady) return `${who} ${load}`;
  const rest = there < shards.length ? `The rest of it (${plural(there, 'shard')})` : 'Once that is mended, it';
  return `${who} is not ready: ${findings[0]?.text}. ${rest} ${load}`;
}

const head = [
  'shard',
  'version',
  'clock',
  'drift',
  'round trip',
  'link',
  'cpu',
  'stolen',
  'core wait',
  'loops',
  'deliveries',
  'descriptors',
  'source ports',
  'tracked',
  'memory',
  'path',
];

const dash = '–';

function rowOf({ url, version, engine, clock, roundTrip, link, cpu, loop, limits, path, lost }: ShardDrill): string[] {
  const share = (value: number | null): string => (value === null ? dash : percent(value));
  return [
    lost === undefined ? url : `${url} (lost)`,
    `${version}, ${engine.name}`,
    clock ? `${seconds(clock.offsetMs)} ± ${seconds(clock.uncertaintyMs)}${stepsInWords(clock.stepsMs)}` : dash,
    driftInWords(clock),
    roundTrip ? `${seconds(roundTrip.medianMs)}, worst ${seconds(roundTrip.worstMs)}` : dash,
    link.bytes === 0 ? dash : `${bytesPerSecond(link.bytesPerSecond)}${lossInWords(link)}`,
    `${plural(cpu.cores, 'core')}${cpu.quotaCores === null ? '' : `, quota ${cpu.quotaCores}`}`,
    share(cpu.stolenShare),
    share(cpu.coreWaitShare),
    loop.isMeasured ? `${loop.loops} × ${about(loop.perSecondOfLoop)}/s` : dash,
    loop.isMeasured ? `${about(loop.perSecond)}/s` : `not tried`,
    freeOf(limits.descriptors, limits.descriptorsUsed),
    limits.sourcePorts === null ? dash : count(limits.sourcePorts),
    limits.connectionTracking === null
      ? 'no'
      : `${count(limits.connectionTracking.tracked)} of ${count(limits.connectionTracking.most)}`,
    limits.memoryAvailableBytes === null ? dash : `${(limits.memoryAvailableBytes / 1e9).toFixed(1)} GB`,
    pathInWords(path),
  ];
}

function stepsInWords(stepsMs: readonly number[]): string {
  return stepsMs.length === 0 ? '' : `, ${plural(stepsMs.length, 'step')}`;
}

/** A drift that the way there and back can explain is not seen. */
function driftInWords(clock: ShardDrill['clock']): string {
  if (!clock?.drift) return dash;
  const { ppm: found, uncertaintyPpm } = clock.drift;
  const reach = `${uncertaintyPpm.toFixed(0)} ppm`;
  return Math.abs(found) <= uncertaintyPpm ? `below ${reach}` : `${ppm(found)} ± ${reach}`;
}

function lossInWords({ lost, segments }: ShardDrill['link']): string {
  return lost === null || segments === null || lost === 0 ? '' : `, ${count(lost)} of ${count(segments)} segments lost`;
}

function freeOf(most: number | null, used: number | null): string {
  return most === null ? dash : `${count(most - (used ?? 0))} free`;
}

function pathInWords(path: ShardDrill['path']): string {
  if (path === null) return dash;
  if (!path.isMeasured) return 'no delivery';
  return path.tcp === '' ? 'nothing lost' : path.tcp;
}

/** A fix that the next finding shares stands once, below the last of them. */
function findingLines({ code, text, fix }: Finding, next: Finding | undefined, style: Style): string[] {
  const { bad, doubtful } = paint(style);
  const isGrave = findingTable[code].exit !== 'clean';
  return [`  ${(isGrave ? bad : doubtful)(text)}`, ...(next?.fix === fix ? [] : [`      ${fix}`])];
}
