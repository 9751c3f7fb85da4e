import { columns } from '../../render/words/table.js';
import { usersOf } from '../../targets/list.js';
import { commandOf } from '../../targets/needs/fill.js';
import { installLack, suits } from '../../targets/needs/lack.js';
import type { Need } from '../../targets/needs/need.js';
import { folderOf, isInstalled } from '../../targets/needs/place.js';

/** What can be installed, and whether it is. */
export interface NeedRow extends Pick<Need, 'name' | 'title'> {
  /** Null if only the system can bring it. */
  downloadBytes: number | null;
  diskBytes: number | null;
  for: string[];
  state: 'installed' | 'not installed' | 'impossible here';
  /** Where it lies or would lie, or what is missing. */
  where: string;
  command: string;
}

/** The row of a need. */
export function rowOf(need: Need): NeedRow {
  const { name, title, filling } = need;
  const { downloadBytes, diskBytes } = filling ? need : { downloadBytes: null, diskBytes: null };
  return {
    ...{ name, title, downloadBytes, diskBytes },
    for: usersOf(need),
    ...stateOf(need),
    command: commandOf(need),
  };
}

function stateOf(need: Need): Pick<NeedRow, 'state' | 'where'> {
  const isThere = isInstalled(need);
  const lack = installLack([need]);
  const place = need.filling ? folderOf(need) : 'The system has it.';
  if (lack === undefined) return { state: isThere ? 'installed' : 'not installed', where: place };
  return { state: suits(need) ? 'not installed' : 'impossible here', where: `${lack.why} ${lack.hint}` };
}

/** The table of `ringside install --list`, with the command of each row below it. */
export function listText(rows: readonly NeedRow[]): string {
  const cells = rows.map(({ name, title, for: users, downloadBytes, diskBytes, state }) => [
    ...[name, title, users.join(', '), megabytes(downloadBytes), megabytes(diskBytes), state],
  ]);
  const head = ['name', 'brings', 'for', 'download', 'on disk', 'here'];
  const below = rows.flatMap(({ name, where, command }) => [`${name}: ${where}`, `  ${command}`]);
  return [columns(head, cells, [0, 1, 2, 5]), '', ...below].join('\n');
}

/** Whole megabytes, or a dash for null. */
export function megabytes(bytes: number | null): string {
  return bytes === null ? '–' : `${Math.ceil(bytes / 1e6)} MB`;
}
