import type { Document } from '../../render/document/document.js';
import { columnsOrBlocks, paint, type Style } from '../../render/words/table.js';
import { milliseconds } from '../../render/words/values.js';
import { countText, plural } from '../../units/text.js';
import { findingTable } from './finding-table.js';
import type { DrillFinding, DrillResult, ShardDrill } from './schema.js';

export function drillDocument(found: DrillResult, style: Style): Document {
  return {
    title: 'drill',
    isTitleHidden: true,
    parts: [{ blocks: [{ aligned: renderDrill(found, style).split('\n') }] }],
    suites: [],
  };
}

/**
 * Renders a drill for the terminal: the answer, how it was computed, what to fix, and tables with a row for each shard.
 */
export function renderDrill(found: DrillResult, style: Style): string {
  const { title, aside, good, doubtful, bad } = paint(style);
  const { carries, shards, absent, findings, isReady, elapsedMs } = found;
  const { clientsLimit, deliveriesLimit } = carries;
  const all = plural(shards.length + absent.length, 'shard');
  return [
    title(`drill  ${all}, ${(elapsedMs / 1000).toFixed(0)} s, ${enginesOf(found)} engine`),
    (!isReady ? bad : findings.length > 0 ? doubtful : good)(drillAnswer(found)),
    ...(clientsLimit ? [`  clients     ${clientsLimit.text}`, `              ${clientsLimit.fix}`] : []),
    ...(deliveriesLimit ? [`  deliveries  ${deliveriesLimit.text}`, `              ${deliveriesLimit.fix}`] : []),
    ...(findings.length > 0
      ? ['', title('to mend'), ...findings.flatMap((each, index) => findingLines(each, findings[index + 1], style))]
      : []),
    ...shardsInWords(shards, style).flatMap((text) => ['', text]),
    '',
    aside(
      'Clients are those that the shards carry: the target needs memory and ports of its own. ' +
        'Deliveries are reckoned from the CPU of a small load, in which each costs more than in a large one. ' +
        'More than half of a loop stays free for bursts.',
    ),
  ].join('\n');
}

/** Returns the engine that was asked for, and for `auto` the engines of the shards. */
function enginesOf({ engine, shards }: DrillResult): string {
  const there = [...new Set(shards.map((shard) => shard.engine.name))].sort();
  return engine === 'auto' && there.length > 0 ? there.join(' and ') : engine;
}

/** Returns the load that a fleet carries, in one sentence. */
export function drillAnswer({ carries, shards, absent, findings, isReady }: DrillResult): string {
  const { clients, clientsLimit, deliveriesPerSecond, deliveriesLimit } = carries;
  const there = shards.filter(({ lost }) => lost === undefined).length;
  if (there === 0) return 'This fleet can carry nothing: every shard was lost.';
  const limitedBy = (limit: { by: string } | null): string => (limit ? ` (limited by ${limit.by})` : '');
  const holds = clients === null ? 'as many clients as you ask for' : `${countText(clients)} clients`;
  const takes =
    deliveriesPerSecond === null
      ? '; how many deliveries per second is not known'
      : `${deliveriesInWords(deliveriesPerSecond)}${limitedBy(deliveriesLimit)}`;
  const load = `can carry ${holds}${limitedBy(clientsLimit)}${takes}.`;
  const all = shards.length + absent.length;
  const who = all === 1 ? 'This shard' : `This fleet of ${all} shards`;
  if (isReady) return `${who} ${load}`;
  const rest = there < all ? `The rest of it (${plural(there, 'shard')})` : 'Once that is mended, it';
  return `${who} is not ready: ${findings[0]?.text}. ${rest} ${load}`;
}

function deliveriesInWords(perSecond: number): string {
  return perSecond === 0 ? ', but no deliveries' : ` and about ${about(perSecond)} deliveries per second`;
}

const dash = '–';

type Columns = Readonly<Record<string, (shard: ShardDrill) => string>>;

/** Narrow enough for 80 columns with short addresses. */
const tables: Readonly<Record<string, Columns>> = {
  clock: {
    'clock offset': ({ clock }) =>
      clock ? `${seconds(clock.offsetMs)} ± ${seconds(clock.uncertaintyMs)}${stepsInWords(clock.stepsMs)}` : dash,
    'clock drift': ({ clock }) => driftInWords(clock),
  },
  network: {
    'round trip': ({ roundTrip }) => (roundTrip ? seconds(roundTrip.medianMs) : dash),
    worst: ({ roundTrip }) => (roundTrip ? `${seconds(roundTrip.worstMs)} of ${roundTrip.asked}` : dash),
    link: ({ link }) => (link.bytes === 0 ? dash : bytesPerSecond(link.bytesPerSecond)),
    'link lost': ({ link }) => partOf(link.lost, link.segments),
    'path lost': ({ path }) =>
      path === null ? dash : path.isMeasured ? partOf(path.lost, path.segments) : 'no delivery',
  },
  machine: {
    version: ({ version, engine }) => `${version}, ${engine.name}`,
    cores: ({ cpu }) => `${cpu.cores}${cpu.quotaCores === null ? '' : `, quota ${cpu.quotaCores}`}`,
    others: ({ cpu }) => (cpu.othersCores === null ? dash : cpu.othersCores.toFixed(2)),
    free: ({ loop }) => (loop.isMeasured ? loop.freeCores.toFixed(2) : dash),
    stolen: ({ cpu }) => shareInWords(cpu.stolenShare),
    'core wait': ({ cpu }) => shareInWords(cpu.coreWaitShare),
  },
  clients: {
    descriptors: ({ limits: { descriptors, descriptorsUsed } }) =>
      descriptors === null ? dash : countText(descriptors - (descriptorsUsed ?? 0)),
    ports: ({ limits }) => (limits.sourcePorts === null ? dash : countText(limits.sourcePorts)),
    tracked: ({ limits: { connectionTracking: tracking } }) =>
      tracking === null ? dash : partOf(tracking.tracked, tracking.most),
    memory: ({ limits: { memoryAvailableBytes: bytes } }) => (bytes === null ? dash : `${(bytes / 1e9).toFixed(1)} GB`),
    allowed: ({ limits }) => countText(limits.clients),
  },
  deliveries: {
    lost: ({ loop }) => (loop.isMeasured ? partOf(loop.expected - loop.delivered, loop.expected) : 'not tried'),
    'CPU of each': ({ loop }) => (loop.isMeasured ? rangeInWords(loop.triesUs) : dash),
    'event loops': ({ loop }) => (loop.isMeasured ? `${loop.loops} × ${about(loop.perSecondOfLoop)}/s` : dash),
    carries: ({ loop }) => (loop.isMeasured ? `${about(loop.perSecond)}/s` : dash),
  },
};

/** Renders a table for each subject, or a block for each shard where one is too wide for the terminal. */
function shardsInWords(shards: readonly ShardDrill[], { columns }: Style): string[] {
  const names = shards.map(({ url, lost }) => (lost === undefined ? url : `${url} (lost)`));
  const filled = Object.entries(tables).flatMap(([name, all]) => {
    const cells = Object.entries(all).map(([title, cell]) => ({ title, cells: shards.map(cell) }));
    const told = cells.filter((column) => column.cells.some((cell) => cell !== dash));
    return told.length > 0 ? [{ name, cells: told }] : [];
  });
  const drawn = filled.map(({ name, cells }) => {
    const rows = names.map((shard, row) => [shard, ...cells.map((column) => column.cells[row] ?? dash)]);
    return columnsOrBlocks(columns, [name, ...cells.map(({ title }) => title)], rows);
  });
  if (drawn.every((text, index) => text.startsWith(filled[index]?.name ?? ''))) return drawn;
  const all = filled.flatMap(({ cells }) => cells);
  const rows = names.map((shard, row) => [shard, ...all.map((column) => column.cells[row] ?? dash)]);
  return [columnsOrBlocks(0, ['shard', ...all.map(({ title }) => title)], rows)];
}

function shareInWords(share: number | null): string {
  return share === null ? dash : drillPercent(share);
}

function partOf(part: number | null, whole: number | null): string {
  return part === null || whole === null ? dash : `${countText(part)} of ${countText(whole)}`;
}

/** Renders microseconds of several tries, from the least to the most. */
function rangeInWords(us: readonly number[]): string {
  const [least, most] = [Math.min(...us).toFixed(1), Math.max(...us).toFixed(1)];
  return least === most ? `${most} µs` : `${least}–${most} µs`;
}

function stepsInWords(stepsMs: readonly number[]): string {
  return stepsMs.length === 0 ? '' : `, ${plural(stepsMs.length, 'step')}`;
}

/** Renders a drift. One that the round trip can explain is printed as a bound. */
function driftInWords(clock: ShardDrill['clock']): string {
  if (!clock?.drift) return dash;
  const { ppm: found, uncertaintyPpm } = clock.drift;
  const reach = `${uncertaintyPpm.toFixed(0)} ppm`;
  return Math.abs(found) <= uncertaintyPpm ? `below ${reach}` : `${ppm(found)} ± ${reach}`;
}

/** Prints a fix that the next finding shares only once, below the last of them. */
function findingLines({ code, text, fix }: DrillFinding, next: DrillFinding | undefined, style: Style): string[] {
  const { bad, doubtful } = paint(style);
  const isGrave = findingTable[code].exit !== 'clean';
  return [`  ${(isGrave ? bad : doubtful)(text)}`, ...(next?.fix === fix ? [] : [`      ${fix}`])];
}

/** Renders a share: `3.1 %`. */
export function drillPercent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

/** Renders bytes per second: `117 MB/s`, `0.9 MB/s`. */
export function bytesPerSecond(rate: number): string {
  const megabytes = rate / 1e6;
  return `${megabytes.toFixed(megabytes < 10 ? 1 : 0)} MB/s`;
}

/** Renders milliseconds, in seconds from one second on: `3.1 ms`, `−61.0 s`. */
export function seconds(ms: number): string {
  const sign = ms < 0 ? '−' : '';
  const size = Math.abs(ms);
  return sign + (size < 1000 ? `${milliseconds(size * 1000)} ms` : `${(size / 1000).toFixed(1)} s`);
}

/** Renders parts per million with their sign. */
export function ppm(value: number): string {
  return `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(0)} ppm`;
}

/** Renders a rate that was computed from a small load. Only two of its digits are known, so only two are printed. */
export function about(rate: number): string {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, rate))) - 1);
  return (Math.floor(rate / unit) * unit).toLocaleString('en-US');
}
