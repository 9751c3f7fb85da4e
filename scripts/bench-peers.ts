import { z } from 'zod';
import type { ExitName } from '../src/contract/exit-codes.js';
import { measureHeld, measureP99, type Peer, type PeerFigures, peersTable, withPeers } from './bench/peers/peers.js';
import { withTarget } from './bench/processes/places.js';
import { isHere, type Reader } from './bench/readers/reader.js';
import { loadFor } from './bench/rig/deliveries.js';
import { inRounds } from './bench/rounds.js';
import { madeInTurn, runScript, toStderr } from './bench/script.js';
import { ofFlows } from './bench/table.js';

const options = z.strictObject({
  isQuick: z.boolean().default(false).meta({ flag: 'quick', help: 'one round of smaller loads, for a first look' }),
  only: z.array(z.string()).default([]).meta({
    flag: 'only',
    placeholder: 'text',
    help: 'only peers and measurements whose name has this text; repeatable',
  }),
});

/** Measures Ringside beside other WebSocket readers, in turn, and prints one table. Exits with 1 if one failed. */
async function benchPeers(asked: z.output<typeof options>, signal: AbortSignal): Promise<ExitName> {
  const isAsked = (name: string): boolean =>
    asked.only.length === 0 || asked.only.some((text) => name.toLowerCase().includes(text.toLowerCase()));
  const figures = await withPeers((all) => {
    const chosen = all.filter(({ reader }) => isAsked(reader.name));
    return chosen.length === 0 ? Promise.resolve([]) : measured(chosen, asked.isQuick, signal);
  });
  if (figures.length > 0) process.stdout.write(`${peersTable(figures)}\n`);
  const flows = ofFlows.filter(({ name }) => isAsked(name));
  const { text, isKept } = await madeInTurn(flows, [], toStderr({ isQuick: asked.isQuick, signal }));
  if (flows.length > 0) process.stdout.write(`${text}\n`);
  return isKept && figures.every(({ failures }) => failures.length === 0) ? 'clean' : 'bug';
}

async function measured(peers: readonly Peer[], isQuick: boolean, signal: AbortSignal): Promise<PeerFigures[]> {
  const here = new Map(peers.flatMap(({ reader, many }) => (isHere(reader) ? [[reader.name, { reader, many }]] : [])));
  const failures = new Map<string, string[]>();
  // 10,000 deliveries a second, a rate that every reader can handle.
  const load = loadFor(1000, 10, isQuick ? 4 : 15);
  /** Measures each peer in turn. A peer that failed once is left out. */
  const inTurn = async <T>(
    what: string,
    work: (peer: { reader: Reader; many: number }) => Promise<T>,
    inWords: (found: T) => string,
  ): Promise<(name: string) => T[]> => {
    const found = await inRounds([...here.keys()], isQuick ? 1 : 3, async (name) => {
      if (signal.aborted || failures.has(name)) return [];
      try {
        const value = await work(here.get(name)!);
        process.stderr.write(`${what}, ${name}: ${inWords(value)}\n`);
        return [value];
      } catch (error) {
        failures.set(name, [`${what}: ${(error as Error).message}`]);
        process.stderr.write(`${what}, ${name}: ${(error as Error).message}\n`);
        return [];
      }
    });
    return (name) => found[name]?.flat() ?? [];
  };
  return withTarget(async (target) => {
    const place = { target, signal };
    const rounds = await inTurn(
      'deliveries',
      ({ reader }) => reader.with(place, load, (held) => held.deliver()),
      ({ cpuUs, units }) => `${(cpuUs / units).toFixed(2)} us`,
    );
    const held = await inTurn(
      'idle clients',
      ({ reader, many }) => measureHeld(reader, place, many),
      ({ bytesPerClient, openUs }) => `${Math.round(bytesPerClient)} bytes, ${Math.round(openUs)} us`,
    );
    const p99 = await inTurn(
      'p99',
      ({ reader }) => measureP99(reader, signal, load),
      ({ reportedMs, serverMs }) => `${reportedMs?.toFixed(1) ?? 'none'} ms, by the server ${serverMs.toFixed(1)} ms`,
    );
    return peers.map(({ reader }) => {
      const { name } = reader;
      const figures = { rounds: rounds(name), held: held(name), p99: p99(name), failures: failures.get(name) ?? [] };
      return { name, ...(!isHere(reader) && { lack: reader.lack }), ...figures };
    });
  });
}

await runScript('bench-peers', options, benchPeers);
