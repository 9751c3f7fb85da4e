import { setTimeout as delay } from 'node:timers/promises';
import { median } from 'simple-statistics';
import { fetchTruth } from '../../../src/commands/calibrate/truth.js';
import { percentile } from '../../../src/measure/samples/distribution.js';
import { columns } from '../../../src/render/words/table.js';
import { packageFile } from '../../../src/units/package-files.js';
import { countText } from '../../../src/units/text.js';
import { collectedMemory } from '../processes/memory.js';
import { cpuSecondsOf, inspectorFlags, withTarget } from '../processes/program.js';
import { countingReader, programReader, type ReadingProgram } from '../readers/counting.js';
import { type Load, type Place, type Reader, withFloor, withGorilla } from '../readers/reader.js';
import { shardReader } from '../readers/shard.js';
import { loadFor } from '../rig/engines.js';
import { costOf, inRounds, isHere, type Missing, type Round, readsOf, slopeOf } from '../rounds.js';
import { artillery, k6 } from './tools.js';

/** A reader, and its clients in the measurement of memory and CPU per connection. They are compared with few. */
interface Peer {
  reader: Reader | Missing;
  many: number;
}

/** Memory is read after garbage collection. */
const how = { isInspected: true };
/** Peers use more memory per client than the engines, so fewer clients are enough. */
const many = { lean: 10_000, heavy: 2000 };
const few = 500;
/** Lets the garbage collector and compiler finish after the ramp. */
const settleMs = 3000;
const wsReader = packageFile('dist/scripts/bench/peers/ws-reader.js');

/** Runs `work` with all compared readers: both engines, subscribers in Go and Node, two tools and the floor. */
function withPeers<T>(work: (peers: Peer[]) => Promise<T>): Promise<T> {
  const inGo = 'gorilla/websocket, Go';
  const counting = (name: string, program: string | Missing): Reader | Missing =>
    typeof program === 'string' ? countingReader(name, [program]) : program;
  const read = (program: ReadingProgram | Missing) => (isHere(program) ? programReader(program) : program);
  return withFloor((floor) =>
    withGorilla(inGo, async (gorilla) => {
      return work([
        { reader: await shardReader('native', { ...how, name: 'Ringside, native engine' }), many: many.lean },
        { reader: await shardReader('js', { ...how, name: 'Ringside, JavaScript engine' }), many: many.lean },
        { reader: counting(inGo, gorilla), many: many.lean },
        { reader: countingReader('ws, Node', [process.execPath, ...inspectorFlags, wsReader], how), many: many.lean },
        { reader: read(k6()), many: many.heavy },
        { reader: read(artillery()), many: many.heavy },
        { reader: counting('floor: epoll, in C', floor), many: many.lean },
      ]);
    }),
  );
}

/** Measures the difference between a process with many clients and one with few. */
async function measureHeld(reader: Reader, place: Place, clients: number): Promise<PeerFigures['held'][number]> {
  const held = (subscribers: number): Promise<{ rssBytes: number; cpuUs: number }> =>
    reader.with(place, { subscribers, warmUp: 0, broadcasts: 1, ratePerSecond: 1 }, async (of) => {
      const cpuUs = cpuSecondsOf(of.pid) * 1e6;
      await delay(settleMs, undefined, { signal: place.signal });
      return { rssBytes: (await collectedMemory(of)).rssBytes, cpuUs };
    });
  const [less, more] = [await held(few), await held(clients)];
  const slope = (of: keyof typeof less): number =>
    slopeOf({ units: few, value: less[of] }, { units: clients, value: more[of] });
  return { bytesPerClient: slope('rssBytes'), openUs: slope('cpuUs') };
}

/** Measures both p99s of a reader. The metronome delivers each broadcast after 5 ms, and records its writes. */
function measureP99(reader: Reader, signal: AbortSignal, load: Load): Promise<PeerFigures['p99'][number]> {
  const measure = async (target: Place['target']) => {
    const { p99Ms, sent } = await reader.with({ target, signal }, load, (open) => open.deliver());
    const { done, totals } = await fetchTruth(target.endpoints.wsUrl, sent.stream, load.warmUp, sent.atUs);
    const asked = load.subscribers * load.broadcasts;
    if (totals.delivered !== asked) throw new Error(`the server delivered ${totals.delivered} of ${asked}`);
    return { reportedMs: p99Ms, serverMs: (percentile(done, 0.99) ?? Number.NaN) / 1000 };
  };
  return withTarget(measure, 'metronome', { options: { delay: 'constant:5ms' } });
}

/** Holds the figures of one peer, each by round. */
export interface PeerFigures {
  name: string;
  /** Reason why the peer is missing, and the command that installs it. */
  lack?: string;
  rounds: Round[];
  /** Cost of each further idle client: resident memory, and CPU from its start to its subscription. */
  held: { bytesPerClient: number; openUs: number }[];
  /** The p99 that it reports of a metronome's deliveries, and that of the metronome's record. */
  p99: { reportedMs: number | undefined; serverMs: number }[];
  /** Messages of the failures. */
  failures: string[];
}

/** Measures the chosen peers, each kind of figure in turn. A peer that failed once is left out. */
export function measurePeers(
  isAsked: (name: string) => boolean,
  isQuick: boolean,
  signal: AbortSignal,
): Promise<PeerFigures[]> {
  return withPeers(async (all) => {
    const chosen = all.filter(({ reader }) => isAsked(reader.name));
    const figures = new Map(
      chosen.map(({ reader }): [string, PeerFigures] => [
        reader.name,
        { ...(isHere(reader) ? { name: reader.name } : reader), rounds: [], held: [], p99: [], failures: [] },
      ]),
    );
    const here = chosen.flatMap(({ reader, many }) => (isHere(reader) ? { reader, many } : []));
    const inTurn = (what: string, work: (peer: (typeof here)[number], found: PeerFigures) => Promise<string>) =>
      inRounds(Object.keys(here), isQuick ? 1 : 3, async (at) => {
        const peer = here[Number(at)]!;
        const found = figures.get(peer.reader.name)!;
        if (signal.aborted || found.failures.length > 0) return;
        const said = await work(peer, found).catch(({ message }: Error) => {
          found.failures.push(`${what}: ${message}`);
          return message;
        });
        process.stderr.write(`${what}, ${peer.reader.name}: ${said}\n`);
      });
    // 10,000 deliveries a second, a rate that every reader can handle.
    const load = loadFor(1000, 10, isQuick ? 4 : 15);
    const measure = async (target: Place['target']): Promise<PeerFigures[]> => {
      const place = { target, signal };
      await inTurn('deliveries', async ({ reader }, { rounds }) => {
        const round = await reader.with(place, load, (held) => held.deliver());
        rounds.push(round);
        return `${costOf([round]).toFixed(2)} us`;
      });
      await inTurn('idle clients', async ({ reader, many }, { held }) => {
        const cost = await measureHeld(reader, place, many);
        held.push(cost);
        return `${Math.round(cost.bytesPerClient)} bytes, ${Math.round(cost.openUs)} us`;
      });
      await inTurn('p99', async ({ reader }, { p99 }) => {
        const both = await measureP99(reader, signal, load);
        p99.push(both);
        return `${both.reportedMs?.toFixed(1) ?? 'none'} ms, by the server ${both.serverMs.toFixed(1)} ms`;
      });
      return [...figures.values()];
    };
    return here.length > 0 ? withTarget(measure) : [...figures.values()];
  });
}

const none = '–';
const head = [
  ...['', 'CPU per delivery', 'reads per delivery', 'memory per idle client', 'CPU per connection'],
  ...['p99 it reports', 'p99 of the server'],
];

/** Formats one line for each peer. Missing peers and failures follow below. */
export function peersTable(peers: readonly PeerFigures[]): string {
  const here = peers.filter(({ lack }) => lack === undefined);
  const notes = peers.flatMap(({ name, lack, failures }) => [
    ...(lack === undefined ? [] : [`${name} is not here: ${lack}`]),
    ...failures.map((failure) => `${name}: ${failure}`),
  ]);
  return [columns(head, here.map(row)), ...notes].join('\n');
}

function row({ name, rounds, held, p99 }: PeerFigures): string[] {
  const reads = readsOf(rounds);
  const reported = p99.flatMap(({ reportedMs }) => reportedMs ?? []);
  const bytes = held.map(({ bytesPerClient }) => bytesPerClient);
  // If memory once shrank with more clients, its scatter exceeds their cost.
  const hasBytes = bytes.length > 0 && bytes.every((each) => each > 0);
  return [
    name,
    rounds.length === 0 ? none : `${costOf(rounds).toFixed(1)} us`,
    reads === undefined ? none : reads.toFixed(2),
    hasBytes ? `${countText(Math.round(median(bytes)))} bytes` : none,
    held.length === 0 ? none : `${countText(Math.round(median(held.map(({ openUs }) => openUs))))} us`,
    reported.length === 0 ? none : `${median(reported).toFixed(1)} ms`,
    p99.length === 0 ? none : `${median(p99.map(({ serverMs }) => serverMs)).toFixed(1)} ms`,
  ];
}
