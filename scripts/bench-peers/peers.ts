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

/** What was measured of one peer. */
export interface PeerFigures {
  name: string;
  /** Why it is not here, and the command that brings it. */
  lack?: string;
  rounds: readonly Round[];
  /** Of each further client, by round. */
  held: readonly HeldCost[];
  /** By round: the p99 that it reports, if it does, and that of the server's own timestamps. */
  p99: readonly { reportedMs: number | undefined; serverMs: number }[];
  /** What went wrong. */
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

/** One line for each peer; below, what is not here or went wrong. */
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

/** Memory that once shrank with more clients scatters by more than these take. */
function bytesOf(rounds: readonly number[]): string {
  const isTold = rounds.length > 0 && rounds.every((each) => each > 0);
  return isTold ? `${countText(Math.round(median([...rounds])))} bytes` : none;
}

/** One line of the table. */
export interface Peer {
  reader: Reader | Missing;
  /** How many clients the memory and the CPU of a connection are measured with, beside few. */
  many: number;
}

/** Their memory is read without garbage. */
const how = { isInspected: true };

/** Peers take more memory for a client than the engines: fewer clients show it. */
const many = { lean: 10_000, heavy: 2000 };

/** Runs `work` with all that is compared: both engines, subscribers in Go and Node, two tools and the floor. */
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

/** Those that can run here. */
export function peersHere(peers: readonly Peer[]): (Peer & { reader: Reader })[] {
  return peers.flatMap(({ reader, ...rest }) => (isHere(reader) ? [{ reader, ...rest }] : []));
}

const wsReader = packageFile('dist/scripts/bench-peers/ws-reader.js');

/** Runs `work` with subscribers on gorilla/websocket, built into a temporary folder, or with why they are not here. */
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
