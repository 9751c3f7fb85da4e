import { randomUUID } from 'node:crypto';
import os from 'node:os';
import { median } from 'simple-statistics';
import type { ShardInfo, ShardSelf } from '../contract/shard.js';
import { version } from '../contract/version.js';
import { LoadWindow, type WindowReadings } from '../measure/rig/load-window.js';
import {
  busyShare,
  type CoreTicks,
  readClockId,
  readCores,
  readMachine,
  readProcText,
  readRssBytes,
  stolenShare,
} from '../measure/rig/machine.js';
import { readTcp, readTimeouts, tcpBetween } from '../measure/tcp.js';
import { descriptorLimit, descriptorsUsed } from './machine-limits.js';

/** A TCP timer takes 200 ms and more, so shorter pauses are no stalls. */
const leastMs = 500;
/** A shorter multiple of the usual pause may come from the schedule or a slow machine. */
const timesUsual = 3;

/** Measures the time in which nothing arrived while TCP timers ran out: the link stood still. */
export class LinkStalls {
  /** Time of the last arrival, with the number of deliveries and of expired timers by then. */
  #last: { atMs: number; received: number; timeouts: number } | undefined;
  #timeouts = 0;
  /** Times from one arrival to the next, and those in which timers ran out. */
  readonly #pausesMs: number[] = [];
  readonly #suspectsMs: number[] = [];

  constructor(private readonly startedMs: number) {}

  /** Call several times a second. A pause counts when it ends, as nothing is due after the last delivery. */
  look(atMs: number, received: number, timeouts: number): void {
    const last = this.#last;
    if (last !== undefined && received === last.received) {
      this.#timeouts = timeouts;
      return;
    }
    if (last !== undefined) {
      this.#pausesMs.push(atMs - last.atMs);
      if (this.#timeouts > last.timeouts) this.#suspectsMs.push(atMs - last.atMs);
    }
    this.#last = { atMs, received, timeouts };
    this.#timeouts = timeouts;
  }

  share(nowMs: number): number {
    if (this.#suspectsMs.length === 0 || nowMs <= this.startedMs) return 0;
    const shortestMs = Math.max(leastMs, timesUsual * median(this.#pausesMs));
    const stalledMs = this.#suspectsMs.reduce((sum, pauseMs) => sum + (pauseMs >= shortestMs ? pauseMs : 0), 0);
    return stalledMs / (nowMs - this.startedMs);
  }
}

const isLinux = process.platform === 'linux';

/** Names a bench-runner in all its results. `bootId` is new at every start of the process. */
export type Identity = Pick<ShardInfo, 'bootId' | 'clockId' | 'version' | 'machine'>;

export function createIdentity(): Identity {
  return { bootId: randomUUID(), clockId: readClockId(), version, machine: readMachine() };
}

/** Measures the process and machine of a bench-runner under load, from construction on. */
export class ShardSelfMeasure {
  readonly #window: LoadWindow<WindowReadings>;
  /** Read only at both ends, as listing them costs the kernel memory for each. */
  readonly #descriptorsAtStart = descriptorsUsed();
  /** Read at both ends, rests included, as segments lost under load are resent in a rest. */
  readonly #tcpAtStart = readTcp();
  readonly #stalls = new LinkStalls(performance.now());
  #rssPeakBytes = 0;
  /** Last successful reading. A reading fails while no descriptor is free. */
  #cores: readonly CoreTicks[] = readCores() ?? coresOfNode();

  /** `figures`: live figures of all workers. They change under load. */
  constructor(figures: Record<string, number>) {
    this.#window = new LoadWindow(this.#read(), figures);
  }

  look(figures: Record<string, number>): void {
    this.#stalls.look(performance.now(), figures.received ?? 0, readTimeouts() ?? 0);
    this.#rssPeakBytes = Math.max(this.#rssPeakBytes, readRssBytes() ?? 0);
    this.#window.look(this.#read(), figures);
  }

  /** Reads growing sums: CPU of the process in milliseconds, and ticks of each core. */
  #read(): WindowReadings {
    const { user, system } = process.cpuUsage();
    this.#cores = readCores() ?? (isLinux ? this.#cores : coresOfNode());
    const ticks = this.#cores.flatMap(({ core, busy, idle, stolen }) => [
      [`${core} busy`, busy],
      [`${core} idle`, idle],
      [`${core} stolen`, stolen],
    ]);
    return { windowMs: performance.now(), cpuMs: (user + system) / 1000, ...Object.fromEntries(ticks) };
  }

  stop(figures: Record<string, number>): Omit<ShardSelf, 'coreSpeed'> {
    this.look(figures);
    const { sums } = this.#window;
    const cores = this.#cores.map(({ core }) => {
      const ticks = (of: string): number => sums[`${core} ${of}`] ?? 0;
      return { busy: ticks('busy'), idle: ticks('idle'), stolen: ticks('stolen') };
    });
    const stolen = isLinux ? stolenShare(cores) : undefined;
    const tcp = tcpBetween(this.#tcpAtStart, readTcp());
    const stalledShare = this.#stalls.share(performance.now());
    return {
      cpuMs: sums.cpuMs ?? 0,
      rssPeakBytes: this.#rssPeakBytes,
      coreBusy: cores.map(busyShare),
      ...(stolen !== undefined && { stolenShare: stolen }),
      descriptorsUsed: isLinux ? Math.max(this.#descriptorsAtStart ?? 0, descriptorsUsed() ?? 0) : null,
      descriptorLimit: descriptorLimit(),
      timeWait: timeWaitSockets(),
      ...(tcp && { tcp: { ...tcp, ...(stalledShare > 0 && { stalledShare }) } }),
    };
  }
}

/** Node reports no stolen time. */
function coresOfNode(): CoreTicks[] {
  return os.cpus().map(({ times: { user, nice, sys, irq, idle } }, core) => {
    return { core: `cpu${core}`, busy: user + nice + sys + irq, idle, stolen: 0 };
  });
}

function timeWaitSockets(): number | null {
  const sockets = isLinux ? readProcText('/proc/net/sockstat') : undefined;
  const waiting = /^TCP:.* tw (\d+)/m.exec(sockets ?? '')?.[1];
  return waiting === undefined ? null : Number(waiting);
}
