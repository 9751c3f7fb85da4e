import { holderInWords } from '../../contract/shard.js';
import { paint, type Style } from '../../render/words/style.js';
import { columnsOrBlocks } from '../../render/words/table.js';
import { plural } from '../../units/words.js';
import type { ShardState } from './state.js';

const head = ['shard', 'version', 'cores', 'clock', 'round trip', 'engine', 'state'];

/** What `fleet status` prints: how many answer, and a row for each. */
export function renderStatus(states: readonly ShardState[], style: Style): string {
  const silent = states.filter(({ why }) => why !== null).length;
  const { good, bad } = paint(style);
  const all = plural(states.length, 'bench-runner');
  const answer = silent === 0 ? good(`${all}, ready`) : bad(`${states.length - silent} of ${all} ready`);
  const rows = states.map(rowOf);
  return `${answer}\n\n${columnsOrBlocks(style.columns, head, rows, [0, 1, 5, 6])}`;
}

function rowOf({ url, version, cores, clock, roundTripMs, engine, holder, why }: ShardState): string[] {
  const seen = [version, cores, clock && clockInWords(clock), roundTripMs && millis(roundTripMs), engine];
  const state = why ?? (holder ? holderInWords(holder) : 'free');
  return [url ?? '–', ...seen.map((each) => (each === null ? '–' : String(each))), state];
}

function clockInWords({ offsetMs, uncertaintyMs }: NonNullable<ShardState['clock']>): string {
  return `${offsetMs < 0 ? '−' : '+'}${millis(Math.abs(offsetMs))} ±${millis(uncertaintyMs)}`;
}

function millis(ms: number): string {
  return ms < 10_000 ? `${ms.toFixed(1)} ms` : `${(ms / 1000).toFixed(1)} s`;
}
