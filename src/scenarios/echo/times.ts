import { Blocks, binsPerBlock, blocksOf } from '../../measure/samples/blocks.js';
import type { BlockTimes } from '../../measure/samples/over-time.js';
import type { Recorder } from '../../measure/samples/recorder.js';
import type { Samples } from '../../measure/samples/samples.js';
import { lastsMs } from '../pace.js';
import { atLeastUs } from '../roles/delivery-times.js';
import { finished, recordersOf } from '../roles/recorders.js';
import type { AudienceContext } from '../scenario.js';
import { sendsIn } from '../sends/schedule.js';
import type { EchoOptions } from './options.js';

/** Parts of the schedule that intervals are drawn over: what comes back in one shares its fate. */
const slices = 256;

/** The unit of a send that is not measured. */
export const ofWarmUp = -1;

/** How long a run measures: until each client had all periods of its schedule, or in a closed loop for the duration. */
export function scheduleMs({ loop, ...options }: Pick<EchoOptions, 'loop' | 'ratePerSecond' | 'durationMs'>): number {
  return loop === 'open' ? (sendsIn(options) * 1000) / options.ratePerSecond : options.durationMs;
}

/** When the slices of a run's schedule lie, for every metric whose blocks `RoundTrips` keeps. */
export function sliceTimes(options: EchoOptions): Record<string, BlockTimes> {
  const firstMs = lastsMs(options.warmUp, options.ratePerSecond);
  const times = { stage: 'echo', firstMs, everyMs: scheduleMs(options) / slices, units: slices };
  return options.loop === 'open' ? { roundTrip: times, roundTripFromIntended: times } : { roundTrip: times };
}

/** The instants of a send and of its echo, in nanoseconds; `writtenAtNs` is 0 if unknown. */
interface RoundTrip {
  intendedAtNs: number;
  sentAtNs: number;
  writtenAtNs: number;
  receivedAtNs: number;
  notBeforeNs: number;
}

/**
 * The round trips of one worker: from the send and, on an open schedule, from the instant that it wanted. They are
 * counted by unit: a slice of the schedule, or a round of a paired comparison.
 */
export class RoundTrips {
  /** How many units there are. */
  readonly units: number;
  readonly #isOpen: boolean;
  readonly #isBySlot: boolean;
  readonly #warmUp: number;
  readonly #warmUpNs: number;
  readonly #durationNs: number;
  readonly #times: Record<'roundTrip' | 'roundTripFromIntended' | 'roundTripAtLeast' | 'sendLag', Recorder>;
  readonly #blocks: Record<'roundTrip' | 'roundTripFromIntended' | 'roundTripAtLeast', Blocks>;
  readonly roundTripBins = new Uint32Array(binsPerBlock);
  #startNs = 0;

  constructor({ options, slots, recorder }: Pick<AudienceContext<EchoOptions>, 'options' | 'slots' | 'recorder'>) {
    const blocks = (): Blocks => new Blocks(this.units);
    this.#isOpen = options.loop === 'open';
    this.#isBySlot = slots !== undefined;
    this.units = slots ? sendsIn(options) : slices;
    this.#warmUp = options.warmUp;
    this.#warmUpNs = lastsMs(options.warmUp, options.ratePerSecond) * 1e6;
    this.#durationNs = scheduleMs(options) * 1e6;
    this.#blocks = { roundTrip: blocks(), roundTripFromIntended: blocks(), roundTripAtLeast: blocks() };
    this.#times = recordersOf(recorder, 'roundTrip', 'roundTripFromIntended', 'roundTripAtLeast', 'sendLag');
  }

  begin(startNs: number): void {
    this.#startNs = startNs + this.#warmUpNs;
  }

  /** The unit of a client's send of that number; `ofWarmUp` for one that is not measured. */
  unitOf(number: number, intendedAtNs: number): number {
    if (number < this.#warmUp) return ofWarmUp;
    if (this.#isBySlot) return number - this.#warmUp;
    const share = (intendedAtNs - this.#startNs) / this.#durationNs;
    return Math.min(slices - 1, Math.max(0, Math.floor(share * slices)));
  }

  sent(intendedAtNs: number, sentAtNs: number): void {
    this.#times.sendLag.record((sentAtNs - intendedAtNs) / 1000);
  }

  answered(unit: number, { intendedAtNs, sentAtNs, writtenAtNs, receivedAtNs, notBeforeNs }: RoundTrip): void {
    const us = (receivedAtNs - sentAtNs) / 1000;
    const fromIntendedUs = (receivedAtNs - intendedAtNs) / 1000;
    this.#times.roundTrip.record(us);
    const bin = this.#blocks.roundTrip.record(unit, us);
    this.roundTripBins[bin] = (this.roundTripBins[bin] as number) + 1;
    this.#times.roundTripFromIntended.record(fromIntendedUs);
    this.#blocks.roundTripFromIntended.record(unit, fromIntendedUs);
    const leastUs = atLeastUs(notBeforeNs, writtenAtNs);
    this.#times.roundTripAtLeast.record(leastUs);
    this.#blocks.roundTripAtLeast.record(unit, leastUs);
  }

  /** Samples and blocks; a closed loop has nothing to say of a schedule. The recorders are spent by it. */
  report(): { samples: Record<string, Samples>; series: Record<string, Uint32Array> } {
    const samples = finished(this.#times);
    const series = {
      [blocksOf('roundTrip')]: this.#blocks.roundTrip.finish(),
      [blocksOf('roundTripAtLeast')]: this.#blocks.roundTripAtLeast.finish(),
    };
    const { roundTrip, roundTripAtLeast } = samples;
    if (!this.#isOpen) return { samples: { roundTrip, roundTripAtLeast }, series };
    const fromIntended = this.#blocks.roundTripFromIntended.finish();
    return { samples, series: { ...series, [blocksOf('roundTripFromIntended')]: fromIntended } };
  }
}
