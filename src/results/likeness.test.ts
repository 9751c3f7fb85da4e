import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { goldenRun } from '../../test/kept-golden.js';
import { plannedRun } from '../../test/planned.js';
import { protocolByName } from '../protocols/list.js';
import { type Plan, shapeOf } from '../run/plan/plan.js';
import { scenarios } from '../scenarios/list.js';
import { loadOptions } from '../scenarios/load-options.js';
import { targets } from '../targets/list.js';
import { canonicalJson, fingerprint, firstDifference, machineFacts, machinesApart } from './likeness.js';
import type { RunResult } from './result.js';

const fingerprintOf = (plan: Parameters<typeof shapeOf>[0]): string => fingerprint(shapeOf(plan));

const shuffled = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(shuffled);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, each]) => [key, shuffled(each)]),
  );
};

it('canonicalJson does not depend on the order of keys, on any level', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(canonicalJson(shuffled(value))).toBe(canonicalJson(value));
    }),
  );
});

it('canonicalJson is the value itself, and keeps the order of lists', () => {
  expect(canonicalJson({ b: [3, 1, { d: 1, c: 2 }], a: null })).toBe('{"a":null,"b":[3,1,{"c":2,"d":1}]}');
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

it('fingerprint is twelve hex digits, equal for equal shapes', () => {
  expect(fingerprint({ a: 1, b: 2 })).toMatch(/^[0-9a-f]{12}$/);
  expect(fingerprint({ b: 2, a: 1 })).toBe(fingerprint({ a: 1, b: 2 }));
  expect(fingerprint({ a: 1, b: 3 })).not.toBe(fingerprint({ a: 1, b: 2 }));
});

it('the first difference of two shapes is named by its place, with both values', () => {
  const shape = (clients: number, client: string) => ({ scenario: 'latency', options: { clients }, client });
  expect(firstDifference(shape(200, 'wire'), shape(1000, 'wire'))).toBe('options.clients: 200 and 1000');
  expect(firstDifference(shape(200, 'wire'), shape(1000, 'library'))).toBe('client: "wire" and "library"');
  expect(firstDifference({ a: [1] }, { a: [1], b: null })).toBe('b: nothing and null');
});

it('the first difference of two shapes is there exactly where the fingerprints differ', () => {
  const shapes = fc.dictionary(fc.string(), fc.jsonValue());
  fc.assert(
    fc.property(shapes, shapes, (one, other) => {
      const isSame = fingerprint(one) === fingerprint(other);
      expect(firstDifference(one, other) === undefined).toBe(isSame);
      expect(firstDifference(one, shuffled(one))).toBeUndefined();
    }),
  );
});

describe.each(scenarios)('the fingerprint of $name', (scenario) => {
  const fit = targets.filter(({ isKnownTruth, protocol }) => {
    const needs = scenario.needs(scenario.options.parse({}));
    return !isKnownTruth && needs.every((verb) => protocolByName(protocol)?.verbs.includes(verb));
  });
  const [target, another] = fit.map(({ name }) => name);
  const of = (flags: Record<string, unknown>): string =>
    fingerprintOf(plannedRun(scenario, { flags: { target, ...flags }, env: {}, file: {} }));

  it('is the same on other targets and rigs', () => {
    const plain = of({});
    expect(another).toBeDefined();
    expect(of({ target: another })).toBe(plain);
    for (const rig of [
      { shards: ['http://127.0.0.1:7001', 'http://127.0.0.1:7003'] },
      { localShards: '7' },
      { workers: '3' },
      { seed: '11' },
      { resultsDir: 'elsewhere' },
      { localAddresses: ['127.0.0.2-127.0.0.7'] },
      { isJson: true },
    ]) {
      expect(of(rig)).toBe(plain);
    }
  });

  it('differs with every option of the scenario, and with how the load is made', () => {
    const options = scenario.options.parse({});
    const load = loadOptions.parse({});
    const fleet = { targetProcesses: 1 } as Plan['fleet'];
    const plain = fingerprintOf({ scenario, options, load, fleet });
    for (const key of Object.keys(scenario.options.shape)) {
      expect(fingerprintOf({ scenario, options: { ...options, [key]: 7919 }, load, fleet })).not.toBe(plain);
    }
    for (const more of [{ client: 'library' }, { maxInFlight: 7 }] as const) {
      expect(fingerprintOf({ scenario, options, load: { ...load, ...more }, fleet })).not.toBe(plain);
    }
    const several = { ...fleet, targetProcesses: 3 };
    expect(fingerprintOf({ scenario, options, load, fleet: several })).not.toBe(plain);
  });
});

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
