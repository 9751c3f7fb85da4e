import { distance } from 'fastest-levenshtein';

/** The most wrong, missing or extra letters of a name. */
const mostEdits = 2;

/** The nearest known name within two letters, if any. */
export function nearest(name: string, names: readonly string[]): string | undefined {
  const [first] = names
    .map((each) => ({ each, edits: distance(name, each) }))
    .filter(({ edits }) => edits <= mostEdits)
    .sort((one, other) => one.edits - other.edits);
  return first?.each;
}
