import type { MetricName, Point, Series } from '../../measure/series.js';

/** Names the limits that can stop a target. */
export type TargetWall = 'memoryWall' | 'corePinned' | 'acceptOverflow' | 'descriptorWall';

export interface WallSign {
  wall: TargetWall;
  evidence: string;
}

/** Limits of a target and its machine. Missing ones are not checked. */
export interface WallLimits {
  memoryBytes?: number | undefined;
  machineMemoryBytes?: number | undefined;
}

/** Memory comes in steps, so a process dies before its limit is reached to the byte. */
const memoryWallShare = 0.97;
/** Below this share of the machine's memory the kernel reclaims for every page it gives, and kills soon. */
const availableFloorShare = 0.03;
/** A thread that never sleeps still loses a few ticks of 10 ms to interrupts and interval edges. */
const pinnedPercent = 95;
/** One interval can be a burst. */
const pinnedPoints = 3;
/** If the other cores are busier than this, the machine was full, not one core. */
const othersIdlePercent = 50;
/** `accept` needs a free descriptor, and servers keep a few for files. */
const descriptorWallShare = 0.98;

export function wallSigns(series: readonly Series[], limits: WallLimits): WallSign[] {
  return [...memoryWall(series, limits), ...corePinned(series), ...acceptOverflow(series), ...descriptorWall(series)];
}

/** Finds memory of all processes within 3 % of its limit, or less than 3 % of the machine's memory left. */
export function memoryWall(series: readonly Series[], { memoryBytes, machineMemoryBytes }: WallLimits): WallSign[] {
  const signs: WallSign[] = [];
  const most = maximum(rounds(series, 'rssBytes'));
  if (memoryBytes !== undefined && most !== undefined && most.value >= memoryBytes * memoryWallShare) {
    const used = `${megabytes(most.value)} of ${megabytes(memoryBytes)}`;
    signs.push({ wall: 'memoryWall', evidence: `memory of the target was ${used} ${at(most)}` });
  }
  const left = named(series, 'memAvailableBytes').flatMap(({ points }) => points);
  const least = left.reduce<Point | undefined>((a, b) => (a === undefined || b.value < a.value ? b : a), undefined);
  if (machineMemoryBytes !== undefined && least && least.value < machineMemoryBytes * availableFloorShare) {
    const free = `${megabytes(least.value)} of ${megabytes(machineMemoryBytes)}`;
    signs.push({ wall: 'memoryWall', evidence: `the machine had ${free} memory left ${at(least)}` });
  }
  return signs;
}

/** Finds a thread that took a whole core in its last three intervals while the other cores were mostly idle. */
export function corePinned(series: readonly Series[]): WallSign[] {
  const cores = named(series, 'coreBusyPercent');
  return named(series, 'busiestThreadPercent').flatMap(({ points, process }): WallSign[] => {
    const last = points.slice(-pinnedPoints);
    if (last.length < pinnedPoints || last.some(({ value }) => value < pinnedPercent)) return [];
    // Sources keep their own time: allow half an interval on each side.
    const [from, to] = [last[0]!.atMs, last.at(-1)!.atMs];
    const slackMs = (to - from) / (pinnedPoints - 1) / 2;
    const busy = cores.map((core) =>
      mean(core.points.filter(({ atMs }) => atMs >= from - slackMs && atMs <= to + slackMs)),
    );
    if (busy.length < 2 || busy.some((each) => each === undefined)) return [];
    // The thread may move from core to core, so its share is subtracted from the sum.
    const all = busy.reduce<number>((sum, each) => sum + each!, 0);
    const thread = mean(last)!;
    const others = Math.max(0, all - thread) / (busy.length - 1);
    if (others >= othersIdlePercent) return [];
    const values = last.map(({ value }) => percent(value)).join(', ');
    const pinned = `one thread${of(process)} took ${values} of a core in its last ${pinnedPoints} intervals`;
    return [
      { wall: 'corePinned', evidence: `${pinned}; the other ${busy.length - 1} cores were ${percent(others)} busy` },
    ];
  });
}

export function acceptOverflow(series: readonly Series[]): WallSign[] {
  const points = named(series, 'acceptQueueOverflowsPerSecond').flatMap((each) => each.points);
  const over = points.filter(({ value }) => value > 0);
  const most = maximum(over);
  if (most === undefined) return [];
  const intervals = `${over.length} of ${points.length} intervals`;
  const rate = `${rounded(most.value)} connections a second ${at(most)}`;
  return [
    { wall: 'acceptOverflow', evidence: `accept queues of the host overflowed in ${intervals}, at most ${rate}` },
  ];
}

/** Finds a process with 98 % of its file descriptors in use. */
export function descriptorWall(series: readonly Series[]): WallSign[] {
  return named(series, 'descriptors').flatMap(({ points, source, process }): WallSign[] => {
    const most = maximum(points);
    const limit = named(series, 'descriptorLimit')
      .find((each) => each.source === source && each.process === process)
      ?.points.at(-1)?.value;
    if (most === undefined || limit === undefined || most.value < limit * descriptorWallShare) return [];
    const used = `${rounded(most.value)} of ${rounded(limit)} file descriptors`;
    return [{ wall: 'descriptorWall', evidence: `the target${of(process)} had ${used} open ${at(most)}` }];
  });
}

function named(series: readonly Series[], name: MetricName): Series[] {
  return series.filter((each) => each.name === name);
}

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
