import { holderInWords } from '../../contract/shard.js';
import { paint, type Style } from '../../render/words/style.js';
import { columnsOrBlocks } from '../../render/words/table.js';
import { plural } from '../../units/words.js';
import { seconds } from '../drill/words.js';
import type { ShardState } from './state.js';

const head = ['shard', 'version', 'cores', 'clock', 'round trip', 'engine', 'state'];

/** What `fleet status` prints: how many can take a run, and a row for each. */
export function renderStatus(states: readonly ShardState[], style: Style): string {
  const rows = states.map(rowOf);
  return `${answer(states, style)}\n\n${columnsOrBlocks(style.columns, head, rows, [0, 1, 5, 6])}`;
}

/** `3 bench-runners: 1 free, 1 held, 1 not ready`. */
function answer(states: readonly ShardState[], style: Style): string {
  const { good, bad } = paint(style);
  const ready = states.filter(({ why }) => why === null);
  const free = ready.filter(({ holder }) => holder === null).length;
  const counts = { free, held: ready.length - free, 'not ready': states.length - ready.length };
  const parts = Object.entries(counts).flatMap(([state, count]) => (count > 0 ? [`${count} ${state}`] : []));
  const words = `${plural(states.length, 'bench-runner')}: ${parts.join(', ')}`;
  return ready.length === states.length ? good(words) : bad(words);
}

function rowOf({ url, version, cores, clock, roundTrip, engine, holder, why }: ShardState): string[] {
  const seen = [version, cores, clock && clockInWords(clock), roundTrip && seconds(roundTrip.medianMs), engine];
  const state = why ?? (holder ? `held by ${holderInWords(holder)}` : 'free');
  return [url ?? '–', ...seen.map((each) => (each === null ? '–' : String(each))), state];
}

function clockInWords({ offsetMs, uncertaintyMs }: NonNullable<ShardState['clock']>): string {
  return `${offsetMs < 0 ? '' : '+'}${seconds(offsetMs)} ± ${seconds(uncertaintyMs)}`;
}
