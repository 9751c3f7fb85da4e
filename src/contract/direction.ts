import type { HeadlineColumn, Scenario } from './catalog.js';

/** Which way of a figure is the better one for whoever owns the target; `neither` where a change is no merit and no fault of it. */
export type Direction = 'lower' | 'higher' | 'neither';

/** What a count says: what was asked for or follows from it; what came of it; what it took; what should not have happened at all. */
type CountKind = 'given' | 'merit' | 'burden' | 'fault';

/** Every count of the ledgers, by its name: a name means the same in all scenarios. */
const names: Readonly<Record<CountKind, readonly string[]>> = {
  given: [
    ...['asked', 'started', 'attempted', 'sent', 'expected', 'offeredPerSecond', 'latePublishes', 'untimed', 'stray'],
    ...['batches', 'planned', 'drops', 'skipped', 'notDue', 'resumes', 'replayed'],
    ...['subscribers', 'wanted', 'applicationProcesses', 'replacedProcesses', 'replacedTargets', 'gaps'],
    ...[
      'backlogPeakAtSecond',
      'cut',
      'neverCut',
      'firstCutMs',
      'lastCutMs',
      'deadlineMs',
      'attempts',
      'returns',
      'underWay',
    ],
  ],
  merit: [
    ...['acked', 'delivered', 'live', 'achievedPerSecond', 'deliveriesPerSecond', 'roundTripsPerSecond'],
    ...['opened', 'held', 'peak', 'proven', 'provenBefore', 'back', 'recovered', 'answered'],
  ],
  burden: [
    'backlogPeak',
    'backlogDrainedInSeconds',
    'backAfterMs50',
    'backAfterMs95',
    'backAfterMs99',
    'backAfterMs100',
    'redeployMs',
  ],
  fault: [
    ...['refused', 'failed', 'unsent', 'unanswered', 'lost', 'lostOffline', 'lostOnline', 'lostBefore', 'notOpened'],
    ...['duplicate', 'outOfOrder', 'late', 'notBack', 'backUnproven', 'cuts', 'cutAgain', 'failedAttempts'],
    ...['dropped', 'cutBefore', 'cutsBefore', 'unpublished', 'openGaps', 'unheard'],
  ],
};

/** What an entry of a ledger is in. */
export type CountUnit = 'count' | 'perSecond' | 'ms' | 'seconds';

/** Entries that are no mere counts, by their unit; instants are since the start of the load, or since the order. */
const measured: Readonly<Record<Exclude<CountUnit, 'count'>, readonly string[]>> = {
  perSecond: ['offeredPerSecond', 'achievedPerSecond', 'deliveriesPerSecond', 'roundTripsPerSecond'],
  ms: [
    ...['firstCutMs', 'lastCutMs', 'redeployMs', 'deadlineMs'],
    ...['backAfterMs50', 'backAfterMs95', 'backAfterMs99', 'backAfterMs100'],
  ],
  seconds: ['backlogPeakAtSecond', 'backlogDrainedInSeconds'],
};

const units: ReadonlyMap<string, CountUnit> = new Map(
  (Object.keys(measured) as Exclude<CountUnit, 'count'>[]).flatMap((unit) =>
    measured[unit].map((name) => [name, unit] as const),
  ),
);

/** The unit of an entry of a ledger. */
export function unitOf(name: string): CountUnit {
  return units.get(name) ?? 'count';
}

/** The kind of each count, by name. */
export const countKinds: ReadonlyMap<string, CountKind> = new Map(
  (Object.keys(names) as CountKind[]).flatMap((kind) => names[kind].map((name) => [name, kind] as const)),
);

const directions = { given: 'neither', merit: 'higher', burden: 'lower', fault: 'lower' } as const;

function directionOfCount(name: string): Direction {
  return directions[countKinds.get(name) ?? 'given'];
}

/** What the figure is where nothing went wrong at all: no fault, or nothing missing of a share; undefined where it has no such value. */
export function faultless(column: HeadlineColumn): number | undefined {
  if (column.kind === 'count') return countKinds.get(column.entry) === 'fault' ? 0 : undefined;
  return column.kind === 'share' && countKinds.get(column.part) === 'merit' ? 1 : undefined;
}

/** The better way of a figure: of times, bytes and faults less; of what arrived more; of what the rig measures of itself neither. */
export function directionOf(column: HeadlineColumn, { metrics }: Pick<Scenario, 'metrics'>): Direction {
  switch (column.kind) {
    case 'figure':
      return metrics[column.metric]?.of === 'target' ? 'lower' : 'neither';
    case 'count':
      return directionOfCount(column.entry);
    case 'share':
      return directionOfCount(column.part);
    case 'footprint':
      return 'lower';
  }
}
