import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onPath } from '../../src/targets/launch/on-path.js';
import { packageFile } from '../../src/units/package-files.js';
import { engineReader } from '../bench-rig/engines/readers.js';
import { inspectorFlags } from '../bench-rig/processes/inspector.js';
import { withDirectory } from '../bench-rig/processes/places.js';
import { countingReader } from '../bench-rig/readers/counting.js';
import { sourcesOf, withFloor } from '../bench-rig/readers/floor.js';
import { isHere, type Missing, type Reader } from '../bench-rig/readers/reader.js';
import { artillery, k6 } from './tools.js';

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
