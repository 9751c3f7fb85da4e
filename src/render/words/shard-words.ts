import type { RunResult, ShardPart } from '../../results/result.js';
import { count } from '../../units/words.js';

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

/** What is to be said of a shard's part beside its numbers, a line each: why it is not complete, what was seen of it last, when it was silent. */
export function troublesOf(part: ShardPart, { loadAtMs }: Pick<RunResult['environment'], 'loadAtMs'>): string[] {
  const { state, why, lastSeen, silences = [] } = part;
  const silent = silences.map(
    ({ fromMs, toMs }) => `no answer for ${seconds(toMs - fromMs)}, from ${seconds(fromMs - loadAtMs)} on`,
  );
  return [
    ...(state === 'complete' ? [] : [`${state}: ${why}`]),
    ...(lastSeen
      ? [`last seen at ${seconds(lastSeen.atMs - loadAtMs)} in ${lastSeen.stage}: ${figures(lastSeen)}`]
      : []),
    ...(state !== 'lost' && silent.length > 0
      ? [`cut off: ${silent.join('; ')}; nothing that it measured is missing`]
      : []),
  ];
}

function figures({ progress }: NonNullable<ShardPart['lastSeen']>): string {
  const told = Object.entries(progress).filter(([, value]) => value > 0);
  if (told.length === 0) return 'nothing counted yet';
  return told.map(([name, value]) => `${name} ${count(value)}`).join(', ');
}
