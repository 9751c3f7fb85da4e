/** So many letters may be wrong, missing or too many in a name that is meant for another. */
const mostEdits = 2;

/** The name that is meant by one that nobody has: the nearest within two letters; undefined where none is. */
export function nearest(name: string, names: readonly string[]): string | undefined {
  const [first] = names
    .map((each) => ({ each, edits: editsBetween(name, each) }))
    .filter(({ edits }) => edits <= mostEdits)
    .sort((one, other) => one.edits - other.edits);
  return first?.each;
}

/** Levenshtein's distance: letters to change, add or take away to make one text of another. */
function editsBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...one].entries()) {
    const next = [index + 1];
    for (let at = 1; at <= other.length; at++) {
      const changed = (row[at - 1] ?? 0) + (letter === other[at - 1] ? 0 : 1);
      next.push(Math.min(changed, (row[at] ?? 0) + 1, (next[at - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
