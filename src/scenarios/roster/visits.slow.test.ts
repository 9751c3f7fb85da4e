import { describe, expect, it } from 'vitest';
import { broadcastBooks, targetFlags } from '../../../test/latency.js';
import { metronome, place, visited } from '../../../test/runs/visits.js';
import { metronomeRecord } from '../../targets/metronome/record.js';

describe.concurrent('visitors', () => {
  it('of a target that delivers late lose nothing by leaving, over two shards', async () => {
    const result = await visited('latency', await metronome(['--delay=constant:120ms']), 2);
    expect(broadcastBooks(result)).toMatchObject({ acked: 57, lost: 0 });
    expect(result.ledger).toMatchObject({ duplicate: 0, outOfOrder: 0, late: 0 });
    expect(result.metrics.delivery?.min).toBeGreaterThanOrEqual(120_000);
  });
});

it('a burst comes and goes over two shards while broadcasts flow, and nobody who was there lacks one', async () => {
  const flags = ['--target', 'ws', '--rate', '50/s', '--ramp-rate', '100/s', '--threshold', 'delivery.p95<60s'];
  const result = await visited('soak-and-burst', [...flags, '--threshold', 'delivery.mean<60s'], 2);
  expect(broadcastBooks(result)).toMatchObject({ attempted: 122, acked: 122, lost: 0 });
  expect(result.thresholds.map(({ isKept }) => isKept)).toEqual([true, true]);
  expect(result.metrics.arrival?.count).toBe(
    result.shards.reduce((sum, each) => sum + (each.result?.counts.arrived ?? 0), 0),
  );
});

const orders = ['--drop=0.2', '--delay=constant:503ms', '--seed=7'];

/** Runs throughput with visitors against a metronome that drops by rule; gives the result and what the target did. */
async function spoilt(shards: number) {
  const target = await place.serve('servers/metronome/main.js', orders);
  const result = await visited('throughput', targetFlags(target), shards);
  const record = async (from: number) =>
    metronomeRecord.parse(await (await fetch(`http://127.0.0.1:${target.port}/_record?from=${from}`)).json()).totals;
  return { result, inAll: await record(0), measured: await record(3) };
}

describe.concurrent('visitors of a target that drops by rule', () => {
  it.each([1, 2, 7])('have a ledger and a backlog that add up: %i shard(s)', async (shards) => {
    const { result, inAll, measured } = await spoilt(shards);
    const { ledger, environment } = result;
    const { acked, expected, delivered, lost } = broadcastBooks(result);
    expect(acked).toBe(57);
    // The target also sends to those who only just came, or are about to leave: nothing of that is owed for certain.
    expect(expected).toBeLessThanOrEqual(measured.owed);
    expect(lost).toBeLessThanOrEqual(measured.dropped);
    expect(lost).toBeGreaterThan(expected * 0.1);
    expect(delivered + Number(ledger.unowed)).toBeLessThanOrEqual(measured.delivered);
    const received = (environment.timeline.received ?? []).reduce((sum, each) => sum + each, 0);
    expect(received).toBeGreaterThanOrEqual(delivered);
    expect(received).toBeLessThanOrEqual(inAll.delivered);
    // What is missing at the end is what was lost, of the three broadcasts of the warm-up, too.
    const left = environment.gauges.find(({ name }) => name === 'backlog')?.points.at(-1)?.value ?? 0;
    expect(left).toBeGreaterThanOrEqual(lost);
    expect(left - lost).toBeLessThanOrEqual(inAll.dropped - measured.dropped);
  });
});
