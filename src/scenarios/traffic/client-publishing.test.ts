import { describe, expect, it } from 'vitest';
import { startNs, valuesOf, workerOnStage } from '../../../test/stage/worker-on-stage.js';
import { broadcastState, StampTable } from '../../measure/samples/recorder.js';
import type { ClientEvents, Clients } from '../../protocols/protocol.js';
import { broadcastLedger } from '../books/ledger.js';
import { loadOptions } from '../load-options.js';
import { throughput } from '../throughput/index.js';
import { throughputOptions, throughputPublisher } from '../throughput/roles.js';

/** Plays a shard that publishes 12 broadcasts by clients, of which those for which `refusal` has a cause never open. */
async function play(refusal: (client: number) => string | undefined = () => undefined, slice = { index: 0, of: 1 }) {
  const options = throughputOptions.parse({ publish: 'clients', publishers: 3, broadcasts: 12, warmUp: 0 });
  const { context, clock, abort } = workerOnStage(options, { broadcasts: 12 });
  const board = new StampTable(12);
  const said: string[] = [];
  let isDisposed = false;
  const clientsOf = (events: ClientEvents): Clients => ({
    leastNs: () => 0,
    open(client) {
      const cause = refusal(client);
      clock.at(clock.nowNs() + 7e6, () =>
        cause === undefined ? events.ready(client) : events.closed(client, cause, false),
      );
    },
    subscribe: () => said.push('a subscription'),
    broadcast: (client, stream, sequence) => said.push(`${client} to ${stream}: ${sequence}`) > 0,
    drop: () => undefined,
    dispose: () => {
      isDisposed = true;
    },
  });
  const publisher = throughputPublisher({
    ...context,
    board,
    slice,
    load: loadOptions.parse({ maxInFlight: 8 }),
    openClients: async (events) => clientsOf(events),
    until: clock.until,
    payload: String,
    publish: () => Promise.reject(new Error('nothing goes over HTTP')),
  });
  await clock.run(publisher.stage('ramp', startNs, abort.signal));
  await clock.run(publisher.stage('publish', startNs + 500e6, abort.signal));
  const report = publisher.report();
  publisher.dispose?.();
  return { report, said, board, isDisposed };
}

describe('broadcasts that clients say', () => {
  it('are said by one client for each loop, in turn, and by none that subscribes', async () => {
    const { said, isDisposed } = await play();
    expect(said).toEqual(Array.from({ length: 12 }, (_, n) => `${n % 3} to spring: ${n}`));
    expect(isDisposed).toBe(true);
    const { said: second } = await play(undefined, { index: 1, of: 2 });
    expect(second).toEqual([1, 3, 5, 7, 9, 11].map((n, at) => `${at % 3} to spring: ${n}`));
  });

  it('are acked once they are written, with no time to the answer that never comes', async () => {
    const { report, board } = await play();
    expect(report.counts).toMatchObject({ attempted: 12, latePublishes: 0 });
    expect(valuesOf(report.samples.publishAck)).toEqual([]);
    expect([...board.state].every((state) => state === broadcastState.acked)).toBe(true);
    expect(board.ackAtNs.every((atNs) => atNs === Number.POSITIVE_INFINITY)).toBe(true);
    expect(broadcastLedger.ledger(report)).toMatchObject({ entries: { acked: 12 }, breaks: [] });
  });

  it('fail by the cause for which their client is not there', async () => {
    const { report, said } = await play((client) => (client === 1 ? 'http-status:503' : undefined));
    expect(said).toHaveLength(8);
    expect(report.causes.publish).toEqual({ 'http-status:503': 4 });
    const { entries, breaks } = broadcastLedger.ledger(report);
    expect([entries.attempted, entries.acked, entries.failed, breaks]).toEqual([12, 8, 4, []]);
  });

  it('need a protocol that has the verb', () => {
    const needs = (given: object) => throughput.needs(throughputOptions.parse(given));
    expect([needs({ publish: 'clients' }), needs({})]).toEqual([['subscribe', 'broadcast'], ['subscribe']]);
  });
});
