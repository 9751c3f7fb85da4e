import { Blocks, binsPerBlock, blocksOf } from '../../measure/samples/blocks.js';
import type { BlockTimes } from '../../measure/samples/over-time.js';
import type { Recorder } from '../../measure/samples/recorder.js';
import type { Samples } from '../../measure/samples/samples.js';
import { finished, recordersOf } from '../roles/recorders.js';
import { sendsIn } from '../sends/schedule.js';
import type { EchoOptions } from './options.js';

/** Parts of the schedule that intervals are drawn over: what comes back in one shares its fate. */
const slices = 256;

/** How long a run sends: until each client had all periods of its schedule, or in a closed loop for the duration. */
export function scheduleMs({ loop, ...options }: Pick<EchoOptions, 'loop' | 'ratePerSecond' | 'durationMs'>): number {
  return loop === 'open' ? (sendsIn(options) * 1000) / options.ratePerSecond : options.durationMs;
}

/** When the slices of a run's schedule lie, for every metric whose blocks `RoundTrips` keeps. */
export function sliceTimes(options: EchoOptions): Record<string, BlockTimes> {
  const times = { stage: 'echo', firstMs: 0, everyMs: scheduleMs(options) / slices, units: slices };
  return options.loop === 'open' ? { roundTrip: times, roundTripFromIntended: times } : { roundTrip: times };
}

/** The round trips of one worker: from the send and, on an open schedule, from the instant that it wanted. */
export class RoundTrips {
  readonly #isOpen: boolean;
  readonly #durationNs: number;
  readonly #times: Record<'roundTrip' | 'roundTripFromIntended' | 'roundTripAtLeast' | 'sendLag', Recorder>;
  readonly #blocks = { roundTrip: new Blocks(slices), fromIntended: new Blocks(slices) };
  readonly roundTripBins = new Uint32Array(binsPerBlock);
  #startNs = 0;

  constructor(isOpen: boolean, durationMs: number, recorder: () => Recorder) {
    this.#isOpen = isOpen;
    this.#durationNs = durationMs * 1e6;
    this.#times = recordersOf(recorder, 'roundTrip', 'roundTripFromIntended', 'roundTripAtLeast', 'sendLag');
  }

  begin(startNs: number): void {
    this.#startNs = startNs;
  }

  sent(intendedAtNs: number, sentAtNs: number): void {
    this.#times.sendLag.record((sentAtNs - intendedAtNs) / 1000);
  }

  answered(intendedAtNs: number, sentAtNs: number, receivedAtNs: number): void {
    const share = (intendedAtNs - this.#startNs) / this.#durationNs;
    const slice = Math.min(slices - 1, Math.max(0, Math.floor(share * slices)));
    const us = (receivedAtNs - sentAtNs) / 1000;
    const fromIntendedUs = (receivedAtNs - intendedAtNs) / 1000;
    this.#times.roundTrip.record(us);
    const bin = this.#blocks.roundTrip.record(slice, us);
    this.roundTripBins[bin] = (this.roundTripBins[bin] as number) + 1;
    this.#times.roundTripFromIntended.record(fromIntendedUs);
    this.#blocks.fromIntended.record(slice, fromIntendedUs);
  }

  answeredAtLeast(us: number): void {
    this.#times.roundTripAtLeast.record(us);
  }

  /** Samples and blocks; a closed loop has nothing to say of a schedule. The recorders are spent by it. */
  report(): { samples: Record<string, Samples>; series: Record<string, Uint32Array> } {
    const samples = finished(this.#times);
    const series = { [blocksOf('roundTrip')]: this.#blocks.roundTrip.finish() };
    const { roundTrip, roundTripAtLeast } = samples;
    if (!this.#isOpen) return { samples: { roundTrip, roundTripAtLeast }, series };
    return { samples, series: { ...series, [blocksOf('roundTripFromIntended')]: this.#blocks.fromIntended.finish() } };
  }
}
