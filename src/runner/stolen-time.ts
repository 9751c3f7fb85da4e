import { slotTimes } from '../measure/paired/slots.js';
import { nowNs } from '../measure/rig/clock.js';
import { type CoreTicks, readCores } from '../measure/rig/cores.js';
import type { Job } from '../scenarios/job.js';

const readEveryMs = 20;
/** The kernel counts in hundredths of a second. */
const tickUs = 10_000;

/** Reads how much core time the hypervisor took, often enough to know it of a slot. */
export class StolenTime {
  readonly #atNs: number[] = [];
  readonly #stolenUs: number[] = [];
  readonly #timer: NodeJS.Timeout;

  constructor(read: () => readonly CoreTicks[] | undefined = readCores, now: () => number = nowNs) {
    const look = (): void => {
      const cores = read();
      if (!cores) return;
      this.#atNs.push(now());
      this.#stolenUs.push(cores.reduce((sum, { stolen }) => sum + stolen, 0) * tickUs);
    };
    look();
    this.#timer = setInterval(look, readEveryMs);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Core time in microseconds that was taken in each slot, given when the slots begin and how long they are. */
  during(startsNs: Float64Array, slotNs: number): Uint32Array {
    return Uint32Array.from(startsNs, (startNs) => Math.round(this.#until(startNs + slotNs) - this.#until(startNs)));
  }

  /** Between two readings it grows evenly. */
  #until(ns: number): number {
    const after = this.#atNs.findIndex((atNs) => atNs >= ns);
    if (after === 0) return this.#stolenUs[0]!;
    if (after < 0) return this.#stolenUs.at(-1) ?? 0;
    const [fromNs, toNs] = [this.#atNs[after - 1]!, this.#atNs[after]!];
    const [from, to] = [this.#stolenUs[after - 1]!, this.#stolenUs[after]!];
    return from + ((to - from) * (ns - fromNs)) / (toNs - fromNs);
  }
}

/** Core time in microseconds that the hypervisor took in the slot of each measured round. */
export function stolenInSlots(
  { slots, options }: Job,
  { time, startAtNs }: { time: StolenTime; startAtNs: number },
): Uint32Array {
  if (!slots) return new Uint32Array(0);
  const starts = slotTimes(slots, slots.place).map((ns) => startAtNs + ns);
  return time.during(starts.subarray(Number(options.warmUp ?? 0)), slots.slotsMs[slots.place]! * 1e6);
}
