import type { Declaration, HeadlineColumn } from '../measure/declaration.js';

/** Which way of a figure is the better one for whoever owns the target; `neither` where a change is no merit and no fault of it. */
export type Direction = 'lower' | 'higher' | 'neither';

const directions = { given: 'neither', merit: 'higher', burden: 'lower', fault: 'lower' } as const;

type Declared = Pick<Declaration, 'metrics' | 'books'>;

function directionOfCount(name: string, { books }: Declared): Direction {
  return directions[books.kinds[name] ?? 'given'];
}

/** What the figure is where nothing went wrong at all: no fault, or nothing missing of a share; undefined where it has no such value. */
export function faultless(column: HeadlineColumn, { books }: Declared): number | undefined {
  if (column.kind === 'count') return books.kinds[column.entry] === 'fault' ? 0 : undefined;
  return column.kind === 'share' && books.kinds[column.part] === 'merit' ? 1 : undefined;
}

/** The better way of a figure: of times, bytes and faults less; of what arrived more; of what the rig measures of itself neither. */
export function directionOf(column: HeadlineColumn, scenario: Declared): Direction {
  switch (column.kind) {
    case 'figure':
      return scenario.metrics[column.metric]?.of === 'target' ? 'lower' : 'neither';
    case 'count':
      return directionOfCount(column.entry, scenario);
    case 'share':
      return directionOfCount(column.part, scenario);
    case 'footprint':
      return 'lower';
  }
}
