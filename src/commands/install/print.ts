import { columns } from '../../render/words/table.js';
import { commandOf } from '../../targets/needs/install.js';
import { installLack } from '../../targets/needs/lack.js';
import type { Need } from '../../targets/needs/need.js';
import { folderOf, isInstalled } from '../../targets/needs/place.js';
import type { Target } from '../../targets/target.js';

/** What can be installed, and whether it is. */
export interface NeedRow extends Pick<Need, 'name' | 'title' | 'downloadBytes' | 'diskBytes'> {
  targets: string[];
  state: 'installed' | 'not installed' | 'impossible here';
  /** Where it lies or would lie, or why it can't. */
  where: string;
  command: string;
}

/** The row of a need. */
export function rowOf(need: Need, targets: readonly Target[]): NeedRow {
  const { name, title, downloadBytes, diskBytes } = need;
  const lack = installLack(need);
  const there = isInstalled(need);
  return {
    ...{ name, title, downloadBytes, diskBytes },
    targets: targets.filter((target) => target.needs?.includes(need)).map((target) => target.name),
    state: there ? 'installed' : lack ? 'impossible here' : 'not installed',
    where: there || !lack ? folderOf(need) : `${lack.why} ${lack.hint}`,
    command: commandOf(need),
  };
}

/** The table of `ringside install --list`, with the command of each row below it. */
export function listText(rows: readonly NeedRow[]): string {
  const cells = rows.map(({ name, title, targets, downloadBytes, diskBytes, state }) => [
    ...[name, title, targets.join(', ') || '–', megabytes(downloadBytes), megabytes(diskBytes), state],
  ]);
  const head = ['name', 'brings', 'for', 'download', 'on disk', 'here'];
  const below = rows.flatMap(({ name, where, command }) => [`${name}: ${where}`, `  ${command}`]);
  return [columns(head, cells, [0, 1, 2, 5]), '', ...below].join('\n');
}

/** Whole megabytes. */
export function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1e6)} MB`;
}
