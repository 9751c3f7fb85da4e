import { expect, it } from 'vitest';
import { goldenRun } from '../../test/kept-golden.js';
import { machineFacts, machinesApart } from './machine-facts.js';
import type { RunResult } from './result.js';

/** A run with a shard on each of these machines. */
function runOn(...others: object[]): RunResult {
  const run = goldenRun('ws', 1);
  const [shard] = run.shards;
  const result = shard!.result!;
  const shards = others.map((other) => ({
    ...shard!,
    result: { ...result, machine: { ...result.machine, ...other } },
  }));
  return { ...run, shards };
}

it('names the machines of all shards, and that of the driver without any', () => {
  const facts = machineFacts(runOn({ turbo: 'on', mitigations: { l1tf: 'PTE Inversion' } }, { turbo: 'off' }));
  expect(facts).toMatchObject({ 'machine turbo': 'off + on', 'mitigation of l1tf': 'PTE Inversion + nothing' });
  const { environment } = goldenRun('ws', 1);
  const lost = { shards: [], environment: { ...environment, driver: { ...environment.driver, cores: 97 } } };
  expect(machineFacts(lost)['machine cores']).toBe('97');
});

it('says in what machines of several runs differ', () => {
  expect(machinesApart([])).toEqual([]);
  expect(machinesApart([runOn({ wakeUs: 2 }), runOn({ wakeUs: 2 })])).toEqual([]);
  expect(machinesApart([runOn({ wakeUs: 2 }), runOn({ wakeUs: 133 }), runOn({})])).toEqual([
    'machine wakeUs: 2 and 133 and nothing',
  ]);
});
