import { describe, expect, it } from 'vitest';
import { latencyFlags, soundResult } from '../../test/latency.js';
import { named } from '../../test/refusal.js';
import { workplace } from '../../test/workplace.js';
import { engineHere } from '../wire/choice.js';

const place = workplace();
const here = await engineHere();
const latency = ['run', 'latency', '--target', 'ws', ...latencyFlags(13, 7)];

async function enginesOf(...flags: string[]) {
  const ended = await place.measure([...latency, ...flags]);
  const { shards } = soundResult(ended);
  const [first = ''] = ended.stdout.split('\n');
  return { first, engines: shards.flatMap(({ result }) => result?.rig.engines ?? []) };
}

describe.concurrent('a run', () => {
  it('takes the native engine by default where it is to be had, and otherwise says why not', async () => {
    const { first, engines } = await enginesOf(...(process.env.TEST_ENGINE === undefined ? [] : ['--engine', 'auto']));
    const { name, why } = { why: undefined, ...here };
    // Every broadcast, warm-up included, at every subscriber.
    expect(engines).toEqual([expect.objectContaining({ name, handedOver: 13 * (7 + 3) })]);
    expect(engines[0]?.why).toBe(why);
    expect(first).toContain(`${name} engine`);
  });

  it('takes the JavaScript engine where it is asked for, whose deliveries have no kernel timestamp', async () => {
    const { first, engines } = await enginesOf('--engine', 'js');
    const counted = { name: 'js', handedOver: 130, exact: 0, bracketed: 0, unstamped: 130, loops: 0 };
    expect(engines).toEqual([expect.objectContaining(counted)]);
    expect(engines[0]).not.toHaveProperty('why');
    expect(first).toContain('js engine');
  });

  it.runIf(here.name === 'js')('refuses an engine that is not to be had, with the reason', async () => {
    const why = here.name === 'js' ? here.why : '';
    expect(await place.refused([...latency, '--engine', 'native'])).toEqual([named('engineLacking', why ?? '')]);
  });

  it('names no engine of library clients', async () => {
    const ended = await place.measure([...latency, '--client', 'library', '--engine', 'native']);
    const { shards, target, ledger } = soundResult(ended);
    expect(shards[0]?.result?.rig).not.toHaveProperty('engines');
    expect([target.client, ledger.delivered]).toEqual(['library', 13 * 7]);
    expect(ended.stdout.split('\n')[0]).not.toContain('engine');
  });
});
