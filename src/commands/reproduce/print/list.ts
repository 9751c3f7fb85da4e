import { paint, type Style } from '../../../render/words/style.js';
import { columnsOrBlocks } from '../../../render/words/table.js';
import type { PublishedTable } from '../../../results/published.js';
import { duration } from '../../../units/duration.js';
import { asPublished } from './figure.js';

/** A published table, and whether it can run here. */
export interface ListedTable {
  table: PublishedTable;
  targets: { target: string; state: 'ready' | 'notAvailable' | 'elsewhere'; why: string }[];
  /** The largest scale that this machine carries; null if there is none. */
  scale: number | null;
  /** Why it can't run, or what is left out; empty otherwise. */
  why: string;
  /** Length of one run at that scale, from first connect to end of drain; null if it can't run. */
  plannedMs: number | null;
}

const legend = 'here: what file descriptors and ports allow; only a run can tell whether the rig keeps up';

/** The tables in lines, with their figures below if `hasFigures`. */
export function renderPublished(tables: readonly ListedTable[], hasFigures: boolean, style: Style): string {
  if (tables.length === 0) return 'no published table has all of these words';
  const { aside, good } = paint(style);
  const rows = tables.map(({ table, targets, scale, why, plannedMs }) => [
    table.id,
    table.scenario,
    String(table.figures.length),
    targets
      .filter(({ state }) => state === 'ready')
      .map(({ target }) => target)
      .join(' ') || '–',
    plannedMs === null ? '–' : duration.print(Math.ceil(plannedMs / 1000) * 1000),
    scale === null
      ? aside(`no: ${why}`)
      : `${good(scale === 1 ? 'yes' : `at --scale ${scale}`)}${why === '' ? '' : aside(`; ${why}`)}`,
  ]);
  const head = ['table', 'scenario', 'figures', 'ready targets', 'a run', 'here'];
  const figures = tables.flatMap(({ table }) => [
    '',
    `${table.id}  ${table.title}`,
    ...table.figures.map((figure) => `  ${figure.id}  ${asPublished(figure)}  ${aside(`“${figure.quote}”`)}`),
  ]);
  return [
    columnsOrBlocks(style.columns, head, rows, [0, 1, 3, 5]),
    ...(hasFigures ? figures : []),
    '',
    aside(legend),
  ].join('\n');
}
