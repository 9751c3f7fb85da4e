import { setTimeout as delay } from 'node:timers/promises';
import { median } from 'simple-statistics';
import { fetchTruth } from '../../../src/commands/calibrate/truth.js';
import { percentile } from '../../../src/measure/samples/distribution.js';
import { columns } from '../../../src/render/words/table.js';
import { packageFile } from '../../../src/units/package-files.js';
import { countText } from '../../../src/units/text.js';
import { collectedMemory, inspectorFlags } from '../processes/memory.js';
import { withTarget } from '../processes/places.js';
import { cpuSecondsOf } from '../processes/program.js';
import { countingReader } from '../readers/counting.js';
import { type Load, type Missing, type Place, type Reader, withFloor, withGorilla } from '../readers/reader.js';
import { sideReader } from '../readers/sides.js';
import { costOf, type Round, readsOf, slopeOf } from '../rounds.js';
import { artillery, k6 } from './tools.js';

/** Describes one line of the table. */
export interface Peer {
  reader: Reader | Missing;
  /** Number of clients in the measurement of memory and CPU per connection. It is compared with few clients. */
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
export function withPeers<T>(work: (peers: Peer[]) => Promise<T>): Promise<T> {
  const inGo = 'gorilla/websocket, Go';
  const counting = (name: string, program: string | Missing): Reader | Missing =>
    typeof program === 'string' ? countingReader(name, [program]) : program;
  return withFloor((floor) =>
    withGorilla(inGo, async (gorilla) => {
      return work([
        { reader: await sideReader('native', 'Ringside, native engine', how), many: many.lean },
        { reader: await sideReader('js', 'Ringside, JavaScript engine', how), many: many.lean },
        { reader: counting(inGo, gorilla), many: many.lean },
        { reader: countingReader('ws, Node', [process.execPath, ...inspectorFlags, wsReader], how), many: many.lean },
        { reader: k6(), many: many.heavy },
        { reader: artillery(), many: many.heavy },
        { reader: counting('floor: epoll, in C', floor), many: many.lean },
      ]);
    }),
  );
}

/** Describes the cost of each further idle client: resident memory, and CPU from its start to its subscription. */
export interface HeldCost {
  bytesPerClient: number;
  openUs: number;
}

/** Measures the difference between a process with many clients and one with few. */
export async function measureHeld(reader: Reader, place: Place, clients: number): Promise<HeldCost> {
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

/** Describes the p99 that a reader reports of a metronome's deliveries, and the p99 of the metronome's record. */
export interface PeerP99 {
  reportedMs: number | undefined;
  serverMs: number;
}

/** Measures both p99s of a reader. The metronome delivers each broadcast after 5 ms, and records its writes. */
export function measureP99(reader: Reader, signal: AbortSignal, load: Load): Promise<PeerP99> {
  const measure = async (target: Place['target']): Promise<PeerP99> => {
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
  rounds: readonly Round[];
  held: readonly HeldCost[];
  p99: readonly PeerP99[];
  /** Messages of the failures. */
  failures: readonly string[];
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
