import { describe, expect, it } from 'vitest';
import { valuesOf } from '../../../test/stage/worker-on-stage.js';
import { Recorder } from '../../measure/samples/recorder.js';
import { Gaps } from './gaps.js';

const ms = 1e6;

function gapsOf(deliveries: readonly (readonly [client: number, atMs: number])[], orderMs: number, clients = 3) {
  const gaps = new Gaps(clients, new Recorder());
  let isOrdered = false;
  for (const [client, atMs] of deliveries) {
    if (atMs >= orderMs && !isOrdered) gaps.ordered(orderMs * ms);
    isOrdered ||= atMs >= orderMs;
    gaps.take({
      count: 1,
      notBeforeNs: new Float64Array(1),
      client: Int32Array.of(client),
      sequence: Int32Array.of(0),
      receivedAtNs: Float64Array.of(atMs * ms),
      flags: new Uint8Array(1),
    });
  }
  return gaps;
}

/** The books of a schedule of ten a second are closed. */
const end = (atMs: number, silent: readonly number[] = [], members = [0]) => ({
  isMember: (client: number) => members.includes(client),
  isSilent: (client: number) => silent.includes(client),
  atNs: atMs * ms,
  everyNs: 100 * ms,
});

describe('the gap of a client', () => {
  it('reaches over the order, from the last delivery before it to the first after it', () => {
    const gaps = gapsOf(
      [
        [0, 7001],
        [0, 7101],
        [0, 7201],
        [0, 9203],
        [0, 9301],
      ],
      7300,
    );
    const { counts, samples } = gaps.report(end(9400));
    expect(counts).toEqual({ gaps: 1, openGaps: 0, unheard: 0 });
    expect(valuesOf(samples.gap)).toEqual([2_002_000]);
  });

  it('is the longest of those that were not over at the order', () => {
    const gaps = gapsOf(
      [
        [0, 1],
        [0, 5003],
        [0, 5103],
        [0, 5203],
        [0, 6001],
        [0, 6101],
      ],
      5150,
    );
    expect(valuesOf(gaps.report(end(6200)).samples.gap)).toEqual([798_000]);
  });

  it('is open where a client that was cut got nothing since: it took longer than until now', () => {
    const gaps = gapsOf(
      [
        [0, 7001],
        [0, 7101],
        [0, 8009],
      ],
      7300,
    );
    const { counts, samples } = gaps.report(end(20_011, [0]));
    expect(counts).toEqual({ gaps: 0, openGaps: 1, unheard: 0 });
    expect(valuesOf(samples.gap)).toEqual([(20_011 - 8009) * 1000]);
  });

  it('is open where nothing came after the order at all', () => {
    const { counts, samples } = gapsOf([[0, 7001]], 7300).report(end(20_011));
    expect(counts).toMatchObject({ gaps: 0, openGaps: 1 });
    expect(valuesOf(samples.gap)).toEqual([(20_011 - 7001) * 1000]);
  });

  it('is open where nobody was cut and nothing is published any more: it has taken longer than any before it', () => {
    const given = [
      [0, 7001],
      [0, 7101],
      [0, 7301],
    ] as const;
    const { counts, samples } = gapsOf(given, 7200).report(end(20_011));
    expect(counts).toEqual({ gaps: 0, openGaps: 1, unheard: 0 });
    expect(valuesOf(samples.gap)).toEqual([(20_011 - 7301) * 1000]);
  });

  it('is closed where the rest of the schedule is two intervals at most, or shorter than the gap before it', () => {
    const regular = [
      [0, 7001],
      [0, 7101],
      [0, 7201],
    ] as const;
    expect(gapsOf(regular, 7150).report(end(7401)).counts).toEqual({ gaps: 1, openGaps: 0, unheard: 0 });
    expect(gapsOf(regular, 7150).report(end(7402)).counts).toEqual({ gaps: 0, openGaps: 1, unheard: 0 });
    const long = [
      [0, 7001],
      [0, 8001],
    ] as const;
    const { counts, samples } = gapsOf(long, 7150).report(end(9001));
    expect(counts).toEqual({ gaps: 1, openGaps: 0, unheard: 0 });
    expect(valuesOf(samples.gap)).toEqual([1_000_000]);
  });

  it('is none of a client that never heard any, nor of one that is no member', () => {
    const { counts, samples } = gapsOf(
      [
        [0, 7001],
        [0, 7401],
        [2, 7001],
        [2, 7401],
      ],
      7300,
    ).report(end(7500, [], [0, 1]));
    expect(counts).toEqual({ gaps: 1, openGaps: 0, unheard: 1 });
    expect(valuesOf(samples.gap)).toEqual([400_000]);
  });
});
