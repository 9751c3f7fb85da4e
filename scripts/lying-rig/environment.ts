/** Where results go is no part of a load. */
const kept = ['RINGSIDE_RESULTS', 'RINGSIDE_TRUST'];

/** The variables among these that `ringside` takes for options of a load, and that would make another test of one whose flags are given. */
export function loadVariables(names: readonly string[]): string[] {
  return names.filter((name) => /^(RINGSIDE_|SHARDS$|TARGET$)/.test(name) && !kept.includes(name));
}
