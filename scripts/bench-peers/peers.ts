import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { median } from 'simple-statistics';
import { columns } from '../../src/render/words/table.js';
import { onPath } from '../../src/targets/launch/on-path.js';
import { packageFile } from '../../src/units/package-files.js';
import { countText } from '../../src/units/text.js';
import { engineReader } from '../bench-rig/engines/readers.js';
import { inspectorFlags } from '../bench-rig/processes/inspector.js';
import { withDirectory } from '../bench-rig/processes/places.js';
import { countingReader } from '../bench-rig/readers/counting.js';
import { isHere, type Missing, type Reader, sourcesOf, withFloor } from '../bench-rig/readers/reader.js';
import { costOf, type Round, readsOf } from '../bench-rig/rounds.js';
import type { HeldCost } from './measure.js';
import { artillery, k6 } from './tools.js';

/** Holds the figures of one peer. */
export interface PeerFigures {
  name: string;
  /** Reason why the peer is missing, and the command that installs it. */
  lack?: string;
  rounds: readonly Round[];
  /** Cost of each further client, by round. */
  held: readonly HeldCost[];
  /** The p99 of each round: as the peer reports it, if it does, and by the server's own timestamps. */
  p99: readonly { reportedMs: number | undefined; serverMs: number }[];
  /** Messages of the failures. */
  failures: readonly string[];
}

const none = '–';
const head = [
  '',
  'CPU per delivery',
  'reads per delivery',
  'memory per idle client',
  'CPU per connection',
  'p99 it reports',
  'p99 of the server',
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
  return [
    name,
    rounds.length === 0 ? none : `${costOf(rounds).toFixed(1)} us`,
    reads === undefined ? none : reads.toFixed(2),
    bytesOf(held.map(({ bytesPerClient }) => bytesPerClient)),
    held.length === 0 ? none : `${countText(Math.round(median(held.map(({ openUs }) => openUs))))} us`,
    reported.length === 0 ? none : `${median(reported).toFixed(1)} ms`,
    p99.length === 0 ? none : `${median(p99.map(({ serverMs }) => serverMs)).toFixed(1)} ms`,
  ];
}

/** Formats bytes, or a dash if memory once shrank with more clients. Its scatter then exceeds their cost. */
function bytesOf(rounds: readonly number[]): string {
  const isTold = rounds.length > 0 && rounds.every((each) => each > 0);
  return isTold ? `${countText(Math.round(median([...rounds])))} bytes` : none;
}

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

/** Runs `work` with all compared readers: both engines, subscribers in Go and Node, two tools and the floor. */
export function withPeers<T>(work: (peers: Peer[]) => Promise<T>): Promise<T> {
  return withFloor((floor) =>
    withGorilla(async (gorilla) => {
      const named = (reader: Reader | Missing, name: string) => ({ ...reader, name });
      return work([
        { reader: named(await engineReader('native', how), 'Ringside, native engine'), many: many.lean },
        { reader: named(await engineReader('js', how), 'Ringside, JavaScript engine'), many: many.lean },
        { reader: gorilla, many: many.lean },
        { reader: countingReader('ws, Node', [process.execPath, ...inspectorFlags, wsReader], how), many: many.lean },
        { reader: k6(), many: many.heavy },
        { reader: artillery(), many: many.heavy },
        { reader: typeof floor === 'string' ? countingReader('floor: epoll, in C', [floor]) : floor, many: many.lean },
      ]);
    }),
  );
}

/** Returns the peers that can run on this machine. */
export function peersHere(peers: readonly Peer[]): (Peer & { reader: Reader })[] {
  return peers.flatMap(({ reader, ...rest }) => (isHere(reader) ? [{ reader, ...rest }] : []));
}

const wsReader = packageFile('dist/scripts/bench-peers/ws-reader.js');

/**
 * Runs `work` with subscribers on gorilla/websocket, built into a temporary folder, or with the reason why they are
 * missing.
 */
function withGorilla<T>(work: (gorilla: Reader | Missing) => Promise<T>): Promise<T> {
  const name = 'gorilla/websocket, Go';
  if (onPath('go') === undefined) return work({ name, lack: 'needs Go: apt-get install golang-go' });
  return withDirectory(async (directory) => {
    const program = join(directory, 'gorilla');
    const cwd = sourcesOf('../bench-peers/gorilla');
    const built = await promisify(execFile)('go', ['build', '-mod=readonly', '-o', program, '.'], { cwd }).then(
      () => undefined,
      (error: Error) => error.message.split('\n').slice(1, 2).join(),
    );
    return work(built === undefined ? countingReader(name, [program]) : { name, lack: `go build: ${built}` });
  });
}
