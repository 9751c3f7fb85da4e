/** Whether a text names a version first that is at least `least`. Numbers that one of them leaves out are 0. */
export function namesAtLeast(text: string, least: string): boolean {
  const [found, needed] = [numbersOf(text), numbersOf(least)];
  const at = needed.findIndex((number, index) => number !== (found[index] ?? 0));
  return at === -1 || (found[at] ?? 0) > (needed[at] as number);
}

function numbersOf(text: string): number[] {
  return /\d+(?:\.\d+)+/.exec(text)?.[0].split('.').map(Number) ?? [];
}
