import { binsPerBlock, nearEdge } from './samples/blocks.js';
import type { Samples } from './samples/samples.js';
import { tallyOf } from './samples/samples.js';

/** The kernel counts the time of a running thread at its ticks, up to this late. */
const lateCountUs = 10_000;

/** Holds the blocks of a metric whose samples are known by broadcast. */
export interface TimedBlocks {
  /** Send time of each broadcast, in microseconds of the host's CLOCK_MONOTONIC modulo 2^32. 0 if never sent. */
  sentAtUs: Uint32Array;
  /** Blocks of its samples, and of the lower ends of their brackets. */
  whole: Uint32Array;
  least: Uint32Array;
}

/**
 * Returns the lower bound of each sample without the target's waits for a core that other programs held. Undefined if
 * the readings do not cover the broadcasts. A sample loses all waits counted while it was under way. It also loses
 * those counted before, back to the target's last rest: until then the target may have worked off what earlier waits
 * had delayed.
 */
export function withoutWaits(waits: CoreWaits, { sentAtUs, whole, least }: TimedBlocks): Samples | undefined {
  const sent = onClock(sentAtUs, waits.beganUs[0] ?? 0);
  const known = sent.filter((us) => !Number.isNaN(us));
  const [firstUs = Number.NaN, lastUs = Number.NaN] = [waits.endedUs[0], waits.beganUs.at(-1)];
  if (known.length === 0 || !known.every((us) => us >= firstUs && us <= lastUs)) return undefined;
  const bounds = new WaitBounds(waits);
  const times = new Map<number, number>();
  const blocks = least.length / binsPerBlock;
  const unitAt = (block: number): number => Math.ceil((block * sent.length) / blocks);
  for (let block = 0; block < blocks; block++) {
    const own = sent.subarray(unitAt(block), unitAt(block + 1)).filter((us) => !Number.isNaN(us));
    const bins = (of: Uint32Array) => of.subarray(block * binsPerBlock, (block + 1) * binsPerBlock);
    const mostUs = nearEdge(bins(whole).findLastIndex((count) => count > 0) + 1);
    const leastUs = own.length > 0 ? bounds.leastBy(Math.min(...own), Math.max(...own), mostUs) : () => 0;
    bins(least).forEach((count, bin) => {
      if (count === 0) return;
      const us = Math.floor(leastUs(nearEdge(bin)));
      times.set(us, (times.get(us) ?? 0) + count);
    });
  }
  return { kind: 'tally', tally: tallyOf(times) };
}

/** Extends stamps modulo 2^32 to the full clock, with NaN for 0. The first is less than 71 minutes after `afterUs`. */
function onClock(stamps: Uint32Array, afterUs: number): Float64Array {
  let before: { stamp: number; us: number } | undefined;
  return Float64Array.from(stamps, (stamp) => {
    if (stamp === 0) return Number.NaN;
    const us = before ? before.us + ((stamp - before.stamp) | 0) : afterUs + ((stamp - (afterUs % 2 ** 32)) >>> 0);
    before = { stamp, us };
    return us;
  });
}

/** Bounds the time that waits can have added to what was under way at an instant. */
class WaitBounds {
  readonly #waits: CoreWaits;
  readonly #spans: ReturnType<typeof coreSpans>;
  /** By reading, the index of the reading before the latest rest. */
  readonly #restedAt: number[];

  constructor(waits: CoreWaits) {
    this.#waits = waits;
    this.#spans = coreSpans(waits);
    this.#restedAt = restsOf(waits);
  }

  /**
   * Returns a function for samples that were sent between two instants and took at most `mostUs`. For a sample that
   * took `us` or more, it returns the lower bound without waits. Until the next reading only the waits of this one
   * count, so the lower bound lies right after a reading.
   */
  leastBy(sentFromUs: number, sentToUs: number, mostUs: number): (us: number) => number {
    const { beganUs } = this.#waits;
    const from = this.#restedAt[this.#after(sentFromUs) - 1] ?? 0;
    const at = (us: number): number => Math.max(0, us - this.#mostUs(from, this.#after(sentToUs + us)));
    const steps: { us: number; leastUs: number }[] = [];
    for (let reading = this.#after(sentToUs); reading < beganUs.length; reading++) {
      const us = beganUs[reading]! - sentToUs;
      if (us > mostUs) break;
      steps.push({ us, leastUs: Math.max(0, us - this.#mostUs(from, reading + 1)) });
    }
    for (let step = steps.length - 2; step >= 0; step--)
      steps[step]!.leastUs = Math.min(steps[step]!.leastUs, steps[step + 1]!.leastUs);
    return (us) => Math.min(at(us), steps.find((step) => step.us >= us)?.leastUs ?? Number.POSITIVE_INFINITY);
  }

  /** Returns the waits that ended between two readings, at most the core time that other programs held meanwhile. */
  #mostUs(from: number, to: number): number {
    const { waitUs, beganUs, endedUs } = this.#waits;
    const last = Math.min(to, waitUs.length - 1);
    const waited = waitUs[last]! - waitUs[from]!;
    return Math.min(waited, this.#othersUs(beganUs[from]!, endedUs[last]!));
  }

  #othersUs(fromUs: number, toUs: number): number {
    const spans = this.#spans;
    const [first, last] = [spans[0], spans.at(-1)];
    if (!first || !last || fromUs < first.fromUs || toUs > last.toUs) return Number.POSITIVE_INFINITY;
    let sum = 0;
    for (let at = firstAfter(spans.length, (span) => spans[span]!.toUs, fromUs); spans[at]!.fromUs < toUs; at++) {
      const span = spans[at]!;
      const withinUs = Math.min(span.toUs, toUs) - Math.max(span.fromUs, fromUs);
      sum += Math.min(span.othersMostUs, span.cores * withinUs);
      if (at + 1 === spans.length) break;
    }
    return sum;
  }

  #after(us: number): number {
    const { beganUs } = this.#waits;
    return firstAfter(beganUs.length, (reading) => beganUs[reading]!, us);
  }
}

function firstAfter(length: number, valueAt: (at: number) => number, than: number): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (valueAt(middle) > than) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * Returns, by reading, the index of the reading before the latest rest. In a rest, no thread of the target ran or was
 * ready for a moment between two readings: the target had nothing left to do. A wait that is counted later may have
 * begun before then.
 */
function restsOf({ beganUs, endedUs, waitUs, cpuUs }: CoreWaits): number[] {
  const grown = (of: number[], reading: number): number => of[reading]! - of[reading - 1]!;
  const wantedUs = beganUs.map((_, reading) => (reading > 0 ? grown(cpuUs, reading) + grown(waitUs, reading) : 0));
  for (let reading = 1; reading < beganUs.length; reading++) {
    const waitedUs = grown(waitUs, reading);
    const sinceUs = beganUs[reading - 1]! - waitedUs;
    for (let before = reading - 1; before > 0 && endedUs[before]! > sinceUs; before--)
      wantedUs[before]! += Math.min(waitedUs, endedUs[before]! - sinceUs);
  }
  let latest = 0;
  return beganUs.map((began, reading) => {
    const betweenUs = reading > 0 ? began - endedUs[reading - 1]! : 0;
    if (wantedUs[reading]! + lateCountUs < betweenUs) latest = reading - 1;
    return latest;
  });
}

/**
 * Holds the activity of a target's threads until each reading, in microseconds. Columns are by reading. Stamps are of
 * the host's CLOCK_MONOTONIC. A wait counts when it ends: until then the kernel does not show it.
 */
export interface CoreWaits {
  zeroUs: number;
  /** A reading takes some time. All threads were read between these two stamps. */
  beganUs: number[];
  endedUs: number[];
  /** Total time so far that its threads were ready to run without a core, and that they ran. */
  waitUs: number[];
  cpuUs: number[];
  cores: CoreReading[];
}

/** Holds the busy time of the cores that the target may use until a reading, and the target's own counts until then. */
export interface CoreReading {
  atUs: number;
  cores: readonly string[];
  busyUs: number;
  /** Time that the hypervisor took from them. */
  stolenUs: number;
  waitUs: number;
  cpuUs: number;
}

/** The resolution of `/proc/stat`: it counts in hundredths of a second. */
export const tickUs = 10_000;

/** Returns the time between each two readings of the cores. If the cores changed, `othersLeastUs` is 0. */
export function coreSpans({ cores }: Pick<CoreWaits, 'cores'>) {
  return cores.slice(1).map((now, at) => {
    const before = cores[at]!;
    const isSame = now.cores.join() === before.cores.join();
    const othersUs = now.busyUs - before.busyUs - (now.cpuUs - before.cpuUs);
    const stolenUs = now.stolenUs - before.stolenUs;
    const grainUs = now.cores.length * tickUs;
    return {
      fromUs: before.atUs,
      toUs: now.atUs,
      cores: now.cores.length,
      waitUs: now.waitUs - before.waitUs,
      // Core time that others held, without and with what the resolution leaves open and the hypervisor took.
      othersLeastUs: isSame ? Math.max(0, othersUs - grainUs) : 0,
      othersMostUs: isSame ? Math.max(0, othersUs + stolenUs + grainUs) : Number.POSITIVE_INFINITY,
    };
  });
}

/** Holds how long a target's threads waited in a period because other programs held its cores. */
export interface Waited {
  othersMs: number;
  windowMs: number;
}

/**
 * Returns how long a target waited for other programs between two instants of the result's time axis. Only spans with
 * readings count. In each span it is at most the core time that others held. For the rest, its threads waited for one
 * another.
 */
export function waitedIn(waits: Pick<CoreWaits, 'zeroUs' | 'cores'>, fromMs: number, toMs: number): Waited {
  const [fromUs, toUs] = [waits.zeroUs + fromMs * 1000, waits.zeroUs + toMs * 1000];
  const waited: Waited = { othersMs: 0, windowMs: 0 };
  for (const span of coreSpans(waits)) {
    const withinUs = Math.min(span.toUs, toUs) - Math.max(span.fromUs, fromUs);
    if (withinUs <= 0) continue;
    waited.windowMs += withinUs / 1000;
    const share = withinUs / (span.toUs - span.fromUs);
    waited.othersMs += (share * Math.min(span.waitUs, span.othersLeastUs)) / 1000;
  }
  return waited;
}
