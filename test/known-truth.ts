import {
  type MetronomeConnections,
  type MetronomeRecord,
  metronomeConnections,
  metronomeRecord,
  recordPaths,
} from '../src/targets/metronome/record.js';
import type { Served } from './workplace.js';

/** What a metronome wrote down of the broadcasts from that sequence number on, of all streams. */
export async function recordOf(target: Pick<Served, 'port'>, from = 0): Promise<MetronomeRecord> {
  return metronomeRecord.parse(await asked(target, `${recordPaths.summary}?from=${from}`));
}

/** Every connection that a metronome took. */
export async function connectionsOf(target: Pick<Served, 'port'>): Promise<MetronomeConnections> {
  return metronomeConnections.parse(await asked(target, recordPaths.connections));
}

async function asked({ port }: Pick<Served, 'port'>, path: string): Promise<unknown> {
  return (await fetch(`http://127.0.0.1:${port}${path}`)).json();
}
