import type { MetricName, Point, Series } from '../../measure/series.js';

/** What an observation can show to have stopped a target. */
export type Wall = 'memoryWall' | 'corePinned' | 'acceptOverflow' | 'descriptorWall';

/** A wall with the figures that show it, in words. */
export interface WallSign {
  wall: Wall;
  evidence: string;
}

/** What a target and its machine have; what is left out is not judged. */
export interface WallLimits {
  /** Memory that all processes of the target may have together. */
  memoryBytes?: number | undefined;
  /** Memory of the machine that the host series are of. */
  machineMemoryBytes?: number | undefined;
}

/** Memory is handed out in steps, and who is refused one is killed before the limit is reached to the byte. */
export const memoryWallShare = 0.97;
/** Below this part of the machine's memory the kernel reclaims for every page that it gives, and kills soon. */
export const availableFloorShare = 0.03;
/** A thread that never sleeps still loses a few ticks of 10 ms a second to interrupts and to the edges of the interval. */
export const pinnedPercent = 95;
/** One interval can be a burst. */
export const pinnedPoints = 3;
/** Others that are busier than this had work of their own, or took the thread's: then the machine was full, not one core. */
export const othersIdlePercent = 50;
/** `accept` needs a free descriptor, and servers keep a few for files. */
export const descriptorWallShare = 0.98;

/** Every wall that the series show. */
export function wallSigns(series: readonly Series[], limits: WallLimits): WallSign[] {
  return [...memoryWall(series, limits), ...corePinned(series), ...acceptOverflow(series), ...descriptorWall(series)];
}

/** Resident memory of all processes within 3 % of its limit, or less than 3 % of the machine's memory left. */
export function memoryWall(series: readonly Series[], { memoryBytes, machineMemoryBytes }: WallLimits): WallSign[] {
  const signs: WallSign[] = [];
  const most = maximum([...rounds(series, 'rssBytes'), ...rounds(series, 'serviceMemoryBytes')]);
  if (memoryBytes !== undefined && most !== undefined && most.value >= memoryBytes * memoryWallShare) {
    const evidence = `memory of the target was ${megabytes(most.value)} of ${megabytes(memoryBytes)} ${at(most)}`;
    signs.push({ wall: 'memoryWall', evidence });
  }
  const left = named(series, 'memAvailableBytes').flatMap(({ points }) => points);
  const least = left.reduce<Point | undefined>((a, b) => (a === undefined || b.value < a.value ? b : a), undefined);
  if (machineMemoryBytes !== undefined && least && least.value < machineMemoryBytes * availableFloorShare) {
    const evidence = `the machine had ${megabytes(least.value)} of ${megabytes(machineMemoryBytes)} memory left ${at(least)}`;
    signs.push({ wall: 'memoryWall', evidence });
  }
  return signs;
}

/** A thread that took a whole core in its last three intervals, while the cores but one were mostly idle. Needs `coreBusyPercent` of the same time. */
export function corePinned(series: readonly Series[]): WallSign[] {
  const cores = named(series, 'coreBusyPercent');
  return named(series, 'busiestThreadPercent').flatMap(({ points, process }): WallSign[] => {
    const last = points.slice(-pinnedPoints);
    if (last.length < pinnedPoints || last.some(({ value }) => value < pinnedPercent)) return [];
    // Sources keep time by themselves: half an interval is allowed on each side.
    const [from, to] = [last[0]!.atMs, last.at(-1)!.atMs];
    const slackMs = (to - from) / (pinnedPoints - 1) / 2;
    const busy = cores.map((core) =>
      mean(core.points.filter(({ atMs }) => atMs >= from - slackMs && atMs <= to + slackMs)),
    );
    if (busy.length < 2 || busy.some((each) => each === undefined)) return [];
    // The thread may wander from core to core: what it took is taken off the sum.
    const all = busy.reduce<number>((sum, each) => sum + each!, 0);
    const thread = mean(last)!;
    const others = Math.max(0, all - thread) / (busy.length - 1);
    if (others >= othersIdlePercent) return [];
    const values = last.map(({ value }) => percent(value)).join(', ');
    const evidence = `one thread${of(process)} took ${values} of a core in its last ${pinnedPoints} intervals, while the other cores were ${percent(others)} busy (${busy.length} cores)`;
    return [{ wall: 'corePinned', evidence }];
  });
}

/** Any overflow of an accept queue; the kernel counts those of the whole host. */
export function acceptOverflow(series: readonly Series[]): WallSign[] {
  const points = named(series, 'acceptQueueOverflowsPerSecond').flatMap((each) => each.points);
  const over = points.filter(({ value }) => value > 0);
  const most = maximum(over);
  if (most === undefined) return [];
  const evidence = `accept queues of the host overflowed in ${over.length} of ${points.length} intervals, at most ${rounded(most.value)} connections a second ${at(most)}`;
  return [{ wall: 'acceptOverflow', evidence }];
}

/** A process with 98 % of its file descriptors in use. */
export function descriptorWall(series: readonly Series[]): WallSign[] {
  return named(series, 'descriptors').flatMap(({ points, source, process }): WallSign[] => {
    const most = maximum(points);
    const limit = named(series, 'descriptorLimit')
      .find((each) => each.source === source && each.process === process)
      ?.points.at(-1)?.value;
    if (most === undefined || limit === undefined || most.value < limit * descriptorWallShare) return [];
    const evidence = `the target${of(process)} had ${rounded(most.value)} of ${rounded(limit)} file descriptors open ${at(most)}`;
    return [{ wall: 'descriptorWall', evidence }];
  });
}

function named(series: readonly Series[], name: MetricName): Series[] {
  return series.filter((each) => each.name === name);
}

/** What all processes of one source have together: a round reads them all at one instant. */
function rounds(series: readonly Series[], name: MetricName): Point[] {
  const sums = new Map<string, Point>();
  for (const { source, points } of named(series, name)) {
    for (const { atMs, value } of points) {
      const key = `${source} ${atMs}`;
      sums.set(key, { atMs, value: (sums.get(key)?.value ?? 0) + value });
    }
  }
  return [...sums.values()];
}

function maximum(points: readonly Point[]): Point | undefined {
  return points.reduce<Point | undefined>((a, b) => (a === undefined || b.value > a.value ? b : a), undefined);
}

function mean(points: readonly Point[]): number | undefined {
  return points.length === 0 ? undefined : points.reduce((sum, { value }) => sum + value, 0) / points.length;
}

const of = (process: string | undefined): string => (process === undefined ? '' : ` of process ${process}`);
const at = ({ atMs }: Point): string => `at ${(atMs / 1000).toFixed(1)} s`;
const rounded = (value: number): string => value.toLocaleString('en-US', { maximumFractionDigits: 1 });
const percent = (value: number): string => `${value.toFixed(0)} %`;
const megabytes = (bytes: number): string => `${rounded(bytes / 1e6)} MB`;
