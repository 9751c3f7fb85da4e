import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { ProblemError } from '../../contract/problems.js';
import { longestSuiteMs } from './nights.js';
import { type BesideSuite, fingerprintOf, planSuite, type SuitePlan } from './plan.js';
import { readSuite } from './read.js';

function planned(text: string, given: Partial<BesideSuite> = {}): SuitePlan {
  return planSuite(readSuite('a.yml', text), { flags: {}, env: {}, ...given }, 11);
}

it('a suite takes an option from the entry, the suite or the default, in that order', () => {
  const { entries } = planned(`name: a
targets: [uws]
options: { clients: 13, rate: 7/s, broadcasts: 17, drain: 2s }
entries:
  - { scenario: latency, options: { rate: 5/s } }
  - { name: calls, scenario: echo, targets: [ws], repeat: 2, thresholds: [lost==0] }
`);
  const [latency, calls] = entries;
  expect(latency?.plans[0]?.options).toMatchObject({ clients: 13, ratePerSecond: 5, broadcasts: 17, warmUp: 10 });
  expect(latency?.plans[0]?.sources).toMatchObject({ clients: 'file', warmUp: 'default' });
  expect(latency).toMatchObject({ name: 'latency', repeat: 3, isRequired: false });
  expect(calls?.plans[0]).toMatchObject({ options: { clients: 13, ratePerSecond: 7, drainMs: 2000 } });
  expect(calls?.plans[0]?.thresholds.map(({ text }) => text)).toEqual(['lost==0']);
  expect(calls).toMatchObject({ name: 'calls', repeat: 2, plans: [{ target: { name: 'ws' } }] });
  expect(entries.flatMap(({ plans }) => plans.map(({ fleet }) => fleet.seed))).toEqual([11, 11]);
});

it('an entry of pairs takes the options of starts in place of those of runs', () => {
  const { entries } = planned(`name: a
targets: [ws, uws]
repeat: 7
options: { clients: 13, broadcasts: 17 }
entries:
  - { name: pairs, scenario: latency, design: paired, options: { starts: 5, budget: 2m }, thresholds: [uws/ws lost<=1] }
  - { scenario: latency }
`);
  const [pairs, runs] = entries;
  expect(pairs).toMatchObject({ repeat: 5, pairs: { ratios: [{ a: 'uws', b: 'ws' }] } });
  expect(pairs?.pairs?.design.paired).toMatchObject({ starts: 5, rounds: 60, budgetMs: 120_000 });
  expect(longestSuiteMs([pairs!])).toBe(124_000);
  expect(runs).toMatchObject({ repeat: 7, plans: [{ options: { broadcasts: 17 } }, {}] });
  expect(runs).not.toHaveProperty('pairs');
  expect(fingerprintOf(pairs!)).not.toBe(fingerprintOf(runs!));
});

it('an entry of pairs refuses what belongs to whole runs, and scenarios without slots', () => {
  const refused = (entry: string): number => {
    try {
      planned(`name: a\nentries: [{ targets: [ws, uws], design: paired, ${entry} }]\n`);
    } catch (error) {
      return (error as ProblemError).problems.length;
    }
    return 0;
  };
  expect(refused('scenario: latency')).toBe(0);
  expect(refused('scenario: latency, repeat: 3, baseline: here')).toBe(2);
  expect(refused('scenario: latency, options: { broadcasts: 11, design: runs }')).toBe(2);
  expect(refused('scenario: latency, thresholds: [delivery.p99<7ms, lost<>0]')).toBe(1);
  expect(refused('scenario: idle')).toBe(1);
});

it('a suite takes from flags and environment only where it runs', () => {
  const env = { RINGSIDE_LOCAL_SHARDS: '2' };
  const { entries } = planned('name: a\nentries: [{ scenario: latency, targets: [ws] }]\n', {
    flags: { token: 'abc' },
    env,
  });
  expect(entries[0]?.plans[0]?.fleet).toMatchObject({ localShards: 2, token: 'abc' });
});

it('a suite leaves out targets of the suite that do not fit a scenario', () => {
  const { entries } = planned(
    'name: a\ntargets: [ws, anycable]\nentries: [{ scenario: echo }, { scenario: latency }]\n',
  );
  const names = entries.map(({ plans }) => plans.map(({ target }) => target.name));
  expect(names).toEqual([['ws'], ['ws', 'anycable']]);
});

it('a suite describes external targets that every entry can name', () => {
  const urls = 'targetUrl: ws://a.test/ws, publishUrl: http://a.test/';
  const map = (protocol: string): string => `{ name: mine, protocol: ${protocol}, ${urls}, header: "X: \${PIN}" }`;
  const text = (protocol: string, name = 'mine'): string => `name: a
targets: [ws, ${map(protocol)}]
entries: [{ scenario: latency }, { scenario: echo }, { name: alone, scenario: latency, targets: [${name}] }]
`;
  const names = ({ entries }: SuitePlan) => entries.map(({ plans }) => plans.map(({ target }) => target.name));
  const variables = { PIN: 'hush' };
  const plan = planned(text('anycable'), { variables });
  expect(names(plan)).toEqual([['ws', 'mine'], ['ws'], ['mine']]);
  expect(plan.entries[0]?.plans[1]?.target).toMatchObject({
    isOurs: false,
    protocolOptions: { headers: ['X: hush'] },
  });
  expect(names(planned(text('ws-json'), { variables }))).toEqual([['ws', 'mine'], ['ws', 'mine'], ['mine']]);

  const hidden = () => planned(text('ws-json', 'yours'));
  expect(hidden).toThrow(/a\.yml:2:\d+ targets\[1\]\.header: .*PIN/);
  expect(hidden).toThrow(/entries\[2\]\.targets\[0\]: .*"yours"/);
  expect(() => planned(text('ws-json', map('ws-json')), { variables })).toThrow(
    /entries\[2\]\.targets\[0\]\.name: .*"mine"/,
  );
});

describe('the nightly suite', () => {
  const path = 'scripts/nightly.yml';
  const { entries } = planSuite(readSuite(path, readFileSync(path, 'utf8')), { flags: {}, env: {} }, 11);

  it('takes less than 30 minutes at most', () => {
    expect(longestSuiteMs(entries)).toBeLessThan(30 * 60_000);
  });

  it('has its scenarios, and thresholds on counts only', () => {
    expect(entries.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['latency', 'throughput', 'jitter', 'avalanche', 'idle', 'echo', 'whisper']),
    );
    const thresholds = entries.map(({ plans }) => plans[0]?.thresholds ?? []);
    for (const each of thresholds) expect(each.length).toBeGreaterThan(0);
    expect(thresholds.flat().filter(({ kind }) => kind === 'figure')).toEqual([]);
  });
});
