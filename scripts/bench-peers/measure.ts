import { setTimeout as delay } from 'node:timers/promises';
import { fetchTruth } from '../../src/commands/calibrate/truth.js';
import { percentile } from '../../src/measure/samples/distribution.js';
import { startTarget } from '../../src/targets/launch/process.js';
import { targetByName } from '../../src/targets/list.js';
import { cpuSecondsOf } from '../bench-rig/processes/child.js';
import { collectedMemory } from '../bench-rig/processes/collected.js';
import type { Load, Place, Reader } from '../bench-rig/readers/reader.js';
import { slopeOf } from '../bench-rig/rounds.js';

const few = 500;
/** Lets the garbage collector and compiler finish after the ramp. */
const settleMs = 3000;
const orders = { delay: 'constant:5ms' };

/** Runs `work` with a metronome that delivers each broadcast after a known delay, and keeps a record of its writes. */
export async function withMetronome<T>(signal: AbortSignal, work: (place: Place) => Promise<T>): Promise<T> {
  const options = { host: '127.0.0.1', options: orders };
  const target = await startTarget(targetByName('metronome')!, options);
  try {
    return await work({ target, signal });
  } finally {
    await target.stop();
  }
}

/** Describes the cost of each further idle client: resident memory, and CPU from its start to its subscription. */
export interface HeldCost {
  bytesPerClient: number;
  openUs: number;
}

/** Measures the difference between a process with many clients and one with few. */
export async function measureHeld(reader: Reader, place: Place, many: number): Promise<HeldCost> {
  const [less, more] = [await held(reader, place, few), await held(reader, place, many)];
  const slope = (of: keyof typeof less): number =>
    slopeOf({ units: few, value: less[of] }, { units: many, value: more[of] });
  return { bytesPerClient: slope('rssBytes'), openUs: slope('cpuUs') };
}

function held(reader: Reader, place: Place, subscribers: number): Promise<{ rssBytes: number; cpuUs: number }> {
  const load = { subscribers, warmUp: 0, broadcasts: 1, ratePerSecond: 1 };
  return reader.with(place, load, async (of) => {
    const cpuUs = cpuSecondsOf(of.pid) * 1e6;
    await delay(settleMs, undefined, { signal: place.signal });
    const { rssBytes } = await collectedMemory(of);
    return { rssBytes, cpuUs };
  });
}

/** Returns the p99 that a reader reports of a metronome's deliveries, and the p99 of the metronome's record. */
export async function measureP99(
  reader: Reader,
  place: Place,
  load: Load,
): Promise<{ reportedMs: number | undefined; serverMs: number }> {
  const { p99Ms, sent } = await reader.with(place, load, (open) => open.deliver());
  const { done, totals } = await fetchTruth(place.target.endpoints.wsUrl, sent.stream, load.warmUp, sent.atUs);
  const asked = load.subscribers * load.broadcasts;
  if (totals.delivered !== asked) throw new Error(`the server delivered ${totals.delivered} of ${asked}`);
  return { reportedMs: p99Ms, serverMs: (percentile(done, 0.99) ?? Number.NaN) / 1000 };
}
