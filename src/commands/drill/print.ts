import { type DataTable, type Document, type Line, toned } from '../../render/document/document.js';
import { countText, plural } from '../../units/text.js';
import { type DrillFinding, type DrillResult, findingTable, type ShardDrill, seconds } from './findings.js';

/** Returns the document of a drill: the answer, how it was computed, what to fix, and tables of the shards. */
export function drillDocument(found: DrillResult): Document {
  const { carries, shards, absent, findings, isReady, elapsedMs } = found;
  const { clientsLimit, deliveriesLimit } = carries;
  const all = plural(shards.length + absent.length, 'shard');
  const tone = !isReady ? 'bad' : findings.length > 0 ? 'doubtful' : 'good';
  return {
    title: `drill  ${all}, ${(elapsedMs / 1000).toFixed(0)} s, ${enginesOf(found)} engine`,
    parts: [
      {
        isAnswer: true,
        blocks: [
          { text: drillAnswer(found), tone },
          ...(clientsLimit ? [`  clients     ${clientsLimit.text}`, `              ${clientsLimit.fix}`] : []),
          ...(deliveriesLimit ? [`  deliveries  ${deliveriesLimit.text}`, `              ${deliveriesLimit.fix}`] : []),
        ],
      },
      { title: 'to mend', blocks: findings.flatMap((each, index) => findingLines(each, findings[index + 1])) },
      ...tablesOf(shards).map((table) => ({ blocks: [table] })),
      { blocks: [toned.aside(legend)] },
    ],
    suites: [],
  };
}

const legend =
  'Clients are those that the shards carry: the target needs memory and ports of its own. ' +
  'Deliveries are reckoned from the CPU of a small load, in which each costs more than in a large one. ' +
  'More than half of a loop stays free for bursts.';

function enginesOf({ engine, shards }: DrillResult): string {
  const there = [...new Set(shards.map((shard) => shard.engine.name))].sort();
  return engine === 'auto' && there.length > 0 ? there.join(' and ') : engine;
}

function drillAnswer({ carries, shards, absent, findings, isReady }: DrillResult): string {
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
  shard: {
    version: ({ version, engine }) => `${version}, ${engine.name}`,
    'clock offset': ({ clock }) => (clock ? `${seconds(clock.offsetMs)} ± ${seconds(clock.uncertaintyMs)}` : dash),
    'round trip': ({ roundTrip }) => (roundTrip ? seconds(roundTrip.medianMs) : dash),
    'path lost': ({ path }) =>
      path === null ? dash : path.isMeasured ? partOf(path.lost, path.segments) : 'no delivery',
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
    'CPU each': ({ loop }) => (loop.isMeasured ? `${loop.cpuUs.busiest.toFixed(1)} µs` : dash),
    'event loops': ({ loop }) => (loop.isMeasured ? `${loop.loops} × ${about(loop.perSecondOfLoop)}/s` : dash),
    cores: ({ loop }) => (loop.isMeasured ? loop.freeCores.toFixed(2) : dash),
    carries: ({ loop }) => (loop.isMeasured ? `${about(loop.perSecond)}/s` : dash),
  },
};

function tablesOf(shards: readonly ShardDrill[]): DataTable[] {
  const names = shards.map(({ url, lost }) => (lost === undefined ? url : `${url} (lost)`));
  return Object.entries(tables).map(([name, all]) => {
    const cells = Object.entries(all).map(([title, cell]) => ({ title, cells: shards.map(cell) }));
    const filled = cells.filter((column) => column.cells.some((cell) => cell !== dash));
    const rows = names.map((shard, row) => [shard, ...filled.map((column) => column.cells[row] ?? dash)]);
    return { head: [name, ...filled.map(({ title }) => title)], rows };
  });
}

function partOf(part: number | null, whole: number | null): string {
  return part === null || whole === null ? dash : `${countText(part)} of ${countText(whole)}`;
}

/** Prints a fix that the next finding shares only once, below the last of them. */
function findingLines({ code, text, fix }: DrillFinding, next: DrillFinding | undefined): Line[] {
  const tone = findingTable[code].exit === 'clean' ? 'doubtful' : 'bad';
  return [{ text: `  ${text}`, tone }, ...(next?.fix === fix ? [] : [`      ${fix}`])];
}

/** Renders a rate that was computed from a small load. Only two of its digits are known, so only two are printed. */
export function about(rate: number): string {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, rate))) - 1);
  return (Math.floor(rate / unit) * unit).toLocaleString('en-US');
}
