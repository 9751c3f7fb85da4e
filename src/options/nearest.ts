import { distance } from 'fastest-levenshtein';

/** So many letters may be wrong, missing or too many in a name that is meant for another. */
const mostEdits = 2;

/** The name that is meant by one that nobody has: the nearest within two letters; undefined where none is. */
export function nearest(name: string, names: readonly string[]): string | undefined {
  const [first] = names
    .map((each) => ({ each, edits: distance(name, each) }))
    .filter(({ edits }) => edits <= mostEdits)
    .sort((one, other) => one.edits - other.edits);
  return first?.each;
}
