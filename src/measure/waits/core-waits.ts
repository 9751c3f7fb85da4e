/**
 * What the threads of a target did until each reading, in microseconds: columns by reading, stamps of the host's
 * CLOCK_MONOTONIC. A wait counts when it ends: until then the kernel does not show it.
 */
export interface CoreWaits {
  /** Zero of the axis of the result. */
  zeroUs: number;
  /** A reading takes some time: all threads were read between the two. */
  beganUs: number[];
  endedUs: number[];
  /** How long its threads were ready to run without a core so far, and how long they ran. */
  waitUs: number[];
  cpuUs: number[];
  cores: CoreReading[];
}

/** The cores that the target may use, read less often: their busy time so far beside what the target did until then. */
export interface CoreReading {
  atUs: number;
  /** Their names. */
  cores: readonly string[];
  busyUs: number;
  /** What the hypervisor took of them. */
  stolenUs: number;
  waitUs: number;
  cpuUs: number;
}

/** The grain of `/proc/stat`: it counts in hundredths of a second. */
export const tickUs = 10_000;

/** Time between two readings of the cores. */
interface CoreSpan {
  fromUs: number;
  toUs: number;
  cores: number;
  waitUs: number;
  /** The core time that other programs held, by less than the grain of the counts leaves open. */
  othersLeastUs: number;
  /** The same by more than that, with what the hypervisor took. */
  othersMostUs: number;
}

/** What happened between each two readings of the cores; others held nothing for certain where the cores changed. */
export function coreSpans({ cores }: Pick<CoreWaits, 'cores'>): CoreSpan[] {
  return cores.slice(1).map((now, at) => {
    const before = cores[at] as CoreReading;
    const isSame = now.cores.join() === before.cores.join();
    const othersUs = now.busyUs - before.busyUs - (now.cpuUs - before.cpuUs);
    const stolenUs = now.stolenUs - before.stolenUs;
    const grainUs = now.cores.length * tickUs;
    return {
      fromUs: before.atUs,
      toUs: now.atUs,
      cores: now.cores.length,
      waitUs: now.waitUs - before.waitUs,
      othersLeastUs: isSame ? Math.max(0, othersUs - grainUs) : 0,
      othersMostUs: isSame ? Math.max(0, othersUs + stolenUs + grainUs) : Number.POSITIVE_INFINITY,
    };
  });
}

/** How long the threads of a target waited in a time because other programs held its cores. */
export interface Waited {
  othersMs: number;
  windowMs: number;
}

/**
 * What a target waited for others between two instants of the axis of the result, as far as that was read: in each span
 * no more than the core time that others held. The rest is what its threads waited for one another.
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
