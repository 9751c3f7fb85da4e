import { expect, it } from 'vitest';
import { startNs, workerOnStage } from '../../../test/stage/worker-on-stage.js';
import { planRamp } from './ramp.js';
import { clientState, createRoster } from './roster.js';

/** Three clients that are there. */
async function onStage() {
  const worker = workerOnStage({}, { clientCount: 3 });
  const confirmed: string[] = [];
  const roster = createRoster(worker.context, {
    deliveries: () => undefined,
    confirmed: (client, stream) => confirmed.push(`${client} ${stream}`),
  });
  const ramp = planRamp(roster);
  await worker.clock.run(ramp.run(startNs, { ratePerSecond: 1e6 }, worker.abort.signal));
  return { ...worker, roster, ramp, confirmed };
}

it('passes every batch to the functions of the scenario themselves, and ignores those without one', () => {
  const { context } = workerOnStage({});
  const hooks = { deliveries: () => undefined, acknowledgements: () => undefined, sends: () => undefined };
  const { deliveries, acknowledgements, sends } = createRoster(context, hooks).events;
  expect({ deliveries, acknowledgements, sends }).toEqual(hooks);
  const quiet = createRoster(context, { deliveries: hooks.deliveries }).events;
  expect([typeof quiet.acknowledgements, typeof quiet.sends]).toEqual(['function', 'function']);
});

it('asks the plan that a client follows by then', async () => {
  const { roster, ramp, told } = await onStage();
  const asked: string[] = [];
  const later = {
    ...{ returns: true, toCome: 0 },
    subscribed: (client: number) => void asked.push(`subscribed ${client}`),
    failed: (client: number, cause: string) => void asked.push(`failed ${client} ${cause}`),
    cut: (client: number, cause: string) => void asked.push(`cut ${client} ${cause}`),
    resumed: (client: number) => void asked.push(`resumed ${client}`),
  };
  roster.follow(2, later);
  for (const client of [1, 2]) told().closed(client, 'reset', true);
  expect([roster.is(1, clientState.cut), roster.is(2, clientState.away), roster.there]).toEqual([true, true, 1]);
  roster.open(2);
  told().closed(2, 'connect-refused', false);
  roster.open(2);
  told().opened(2, 1e6, 2e6, 1e6);
  told().resumed(2, true);
  told().subscribed(2, 'spring');
  expect(asked).toEqual(['cut 2 reset', 'failed 2 connect-refused', 'resumed 2', 'subscribed 2']);
  expect(ramp.report()).toMatchObject({ counts: { open: 1 }, causes: { close: { reset: 1 } } });
  expect(roster.count(later, clientState.subscribed)).toBe(1);
});

it('has a client there until its connection ends, and counts no close of its own', async () => {
  const { roster, ramp, drops, confirmed, told } = await onStage();
  roster.move(0, clientState.leaving);
  expect([roster.isThere(0), roster.isSubscribed(0), roster.there]).toEqual([true, false, 3]);
  told().subscribed(0, 'autumn');
  roster.drop(0, 'close', clientState.left);
  told().subscribed(0, 'winter');
  expect([roster.isThere(0), roster.there, drops, confirmed]).toEqual([false, 2, ['0 close'], ['0 autumn']]);
  expect(ramp.report().causes.close).toEqual({});
});

it('takes no event once it is closed', async () => {
  const { roster, ramp, told } = await onStage();
  roster.close();
  told().closed(0, 'reset', true);
  expect([roster.there, ramp.report().causes.close]).toEqual([3, {}]);
});
