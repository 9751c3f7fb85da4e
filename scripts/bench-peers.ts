import { z } from 'zod';
import type { ExitName } from '../src/contract/exit-codes.js';
import { type HeldCost, measureHeld, measureP99, withMetronome } from './bench-peers/measure.js';
import { type Peer, type PeerFigures, peersHere, peersTable, withPeers } from './bench-peers/peers.js';
import { withTarget } from './bench-rig/processes/places.js';
import { isHere, type Load, type Reader } from './bench-rig/readers/reader.js';
import { type Round, roundOrder } from './bench-rig/rounds.js';
import { runScript } from './script/run-script.js';

const options = z.strictObject({
  isQuick: z.boolean().default(false).meta({ flag: 'quick', help: 'one round of smaller loads, for a first look' }),
  only: z
    .array(z.string())
    .default([])
    .meta({ flag: 'only', placeholder: 'text', help: 'only peers whose name has this text; repeatable' }),
});

type Options = z.output<typeof options>;

type Figures = PeerFigures & {
  rounds: Round[];
  held: HeldCost[];
  p99: { reportedMs: number | undefined; serverMs: number }[];
  failures: string[];
};

const rounds = { full: 3, quick: 1 };
const seconds = { full: 15, quick: 4 };
const warmUpSeconds = 3;
/** Sets 10,000 deliveries a second, a rate that every reader can handle. */
const audience = { subscribers: 1000, ratePerSecond: 10 };

/** Measures Ringside beside other WebSocket readers, in turn, and prints one table. Exits with 1 if one failed. */
async function benchPeers(asked: Options, signal: AbortSignal): Promise<ExitName> {
  const { text, hasFailed } = await withPeers(async (all) => {
    const peers = all.filter(({ reader: { name } }) => asked.only.length === 0 || asked.only.some(isIn(name)));
    const figures = new Map(peers.map(({ reader }) => [reader.name, empty(reader)]));
    await measure(peersHere(peers), figures, asked.isQuick, signal);
    const found = [...figures.values()];
    return { text: peersTable(found), hasFailed: found.some(({ failures }) => failures.length > 0) };
  });
  process.stdout.write(`${text}\n`);
  return hasFailed ? 'bug' : 'clean';
}

const isIn = (name: string) => (text: string) => name.toLowerCase().includes(text.toLowerCase());

function empty(reader: Peer['reader']): Figures {
  const { name } = reader;
  return { name, ...(!isHere(reader) && { lack: reader.lack }), rounds: [], held: [], p99: [], failures: [] };
}

async function measure(
  peers: readonly (Peer & { reader: Reader })[],
  figures: ReadonlyMap<string, Figures>,
  isQuick: boolean,
  signal: AbortSignal,
): Promise<void> {
  const broadcasts = (isQuick ? seconds.quick : seconds.full) * audience.ratePerSecond;
  const load: Load = { ...audience, warmUp: warmUpSeconds * audience.ratePerSecond, broadcasts };
  const each = async (
    round: number,
    what: string,
    work: (peer: Peer & { reader: Reader }, of: Figures) => Promise<string>,
  ) => {
    for (const peer of roundOrder(peers, round)) {
      const of = figures.get(peer.reader.name)!;
      if (signal.aborted || of.failures.length > 0) continue;
      const said = await work(peer, of).catch((error: Error) => {
        of.failures.push(`${what}: ${error.message}`);
        return error.message;
      });
      process.stderr.write(`${what}, ${peer.reader.name}: ${said}\n`);
    }
  };
  const count = isQuick ? rounds.quick : rounds.full;
  await withTarget(async (target) => {
    const place = { target, signal };
    for (let round = 0; round < count; round++) {
      await each(round, 'deliveries', async ({ reader }, of) => {
        const delivered = await reader.with(place, load, (held) => held.deliver());
        of.rounds.push(delivered);
        return `${(delivered.cpuUs / delivered.units).toFixed(2)} us`;
      });
    }
    for (let round = 0; round < count; round++) {
      await each(round, 'idle clients', async ({ reader, many }, of) => {
        const found = await measureHeld(reader, place, many);
        of.held.push(found);
        return `${Math.round(found.bytesPerClient)} bytes, ${Math.round(found.openUs)} us`;
      });
    }
  });
  for (let round = 0; round < count; round++) {
    await withMetronome(signal, (place) =>
      each(round, 'p99', async ({ reader }, of) => {
        const found = await measureP99(reader, place, load);
        of.p99.push(found);
        const reported = found.reportedMs === undefined ? 'none' : `${found.reportedMs.toFixed(1)} ms`;
        return `${reported}, by the server ${found.serverMs.toFixed(1)} ms`;
      }),
    );
  }
}

await runScript('bench-peers', options, benchPeers);
