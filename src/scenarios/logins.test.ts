import { expect, it } from 'vitest';
import { scenarioByName, scenarios } from './list.js';
import { behindLogins, plannedStages } from './rounds.js';
import type { Scenario, Sums } from './scenario.js';

const connect = scenarioByName('connect') as Scenario;
const none: Sums = { counts: {}, causes: {}, timeline: {}, series: {} };

it.each(scenarios.map((scenario) => [scenario.name, scenario] as const))(
  '%s says nothing without logins',
  (_, each) => {
    const { entries } = each.ledger(none);
    expect(Object.keys(entries).filter((name) => /^log/.test(name))).toEqual([]);
    expect(each.ledgerLines(entries).map(([label]) => label)).not.toContain('logins');
  },
);

it('the ledger has logins, and breaks where they do not add up', () => {
  const causes = { login: { 'login-failed:reset': 2 } };
  const counts = { loginsAsked: 7, loggedIn: 5, loginsFailed: 2 };
  const { entries, breaks } = connect.ledger({ ...none, counts, causes });
  expect(entries).toMatchObject({ ...counts, loginsFailedByCause: causes.login });
  expect(breaks).toEqual([]);
  expect(connect.ledger({ ...none, counts: { ...counts, loggedIn: 4 } }).breaks).toHaveLength(1);
  expect(connect.ledgerLines(entries)[0]).toEqual([
    ...['logins', '7 asked = 5 logged in + 2 failed (login-failed:reset × 2)'],
  ]);
});

it('all shards wait behind their logins, at a gate of the scenario where it has one', () => {
  const gates = (name: string): (string | undefined)[] => {
    const scenario = scenarioByName(name) as Scenario;
    const planned = plannedStages({ ...scenario, options: scenario.options.parse({}) }, 7);
    return behindLogins(planned).map(({ gate }) => gate);
  };
  expect(gates('connect')).toEqual([undefined, 'start']);
  expect(gates('latency').slice(0, 2)).toEqual([undefined, 'loggedIn']);
});
