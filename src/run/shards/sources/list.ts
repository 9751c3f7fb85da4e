import { compose } from './compose.js';
import { file } from './file.js';
import { kubernetes } from './kubernetes.js';
import { railway } from './railway.js';
import type { ShardSource } from './source.js';

/** Everything that `--shards-from` can ask. */
export const sources: readonly ShardSource[] = [compose, kubernetes, railway, file];

/** The source that a text such as `file:shards.txt` names, and its argument; undefined if it names none. */
export function sourceOf(text: string): { source: ShardSource; argument: string | undefined } | undefined {
  const [, name, argument] = /^([^:]*)(?::(.+))?$/.exec(text) ?? [];
  const source = sources.find((each) => each.name === name);
  if (!source || (source.argument.isNeeded && argument === undefined)) return undefined;
  return { source, argument };
}

/** How users write each source, such as `file:PATH`. */
export const sourceForms = sources.map(({ name, argument: { word, isNeeded } }) =>
  isNeeded ? `${name}:${word}` : name,
);
