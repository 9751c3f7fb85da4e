import type { Declaration, HeadlineColumn } from '../measure/declaration.js';

/** Which way a figure gets better; `neither` if a change is no merit and no fault of the target. */
export type Direction = 'lower' | 'higher' | 'neither';

const directions = { given: 'neither', merit: 'higher', burden: 'lower', fault: 'lower' } as const;

type Declared = Pick<Declaration, 'metrics' | 'books'>;

function directionOfCount(name: string, { books }: Declared): Direction {
  return directions[books.kinds[name] ?? 'given'];
}

/** The value without any fault: no fault counted, or all of a share; undefined for other figures. */
export function faultless(column: HeadlineColumn, { books }: Declared): number | undefined {
  if (column.kind === 'count') return books.kinds[column.entry] === 'fault' ? 0 : undefined;
  return column.kind === 'share' && books.kinds[column.part] === 'merit' ? 1 : undefined;
}

/** Which way is better: less time, bytes and faults, more merits; neither for the rig’s own metrics. */
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
