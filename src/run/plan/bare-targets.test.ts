import { expect, test } from 'vitest';
import { plannedComparison, plannedRun } from '../../../test/planned.js';
import type { ProblemError } from '../../contract/problems.js';
import { scenarioByName } from '../../scenarios/list.js';
import type { Scenario } from '../../scenarios/scenario.js';
import type { ExternalTarget } from '../server/external-targets.js';

const targetUrl = 'ws://ring.example/any';
const publishUrl = 'http://ring.example/publish';
const given = (flags: Record<string, unknown>) => ({ flags, env: {}, file: {} });
const named = (name: string): Scenario => scenarioByName(name) as Scenario;
const planned = (scenario: string, flags: Record<string, unknown>) => {
  const { target, options } = plannedRun(named(scenario), given(flags));
  return [target.protocol, options.probe];
};

test.each([
  ['connect', { targetUrl }, ['raw', undefined]],
  ['connect', { targetUrl, protocol: 'socketio' }, ['socketio', undefined]],
  ['idle', { targetUrl }, ['raw', 'ping']],
  ['idle', { targetUrl, protocol: 'ws-json' }, ['ws-json', 'ping']],
  ['idle', { targetUrl, protocol: 'ws-json', publishUrl }, ['ws-json', undefined]],
  ['idle', { targetUrl, protocol: 'ws-json', publishUrl, probe: 'ping' }, ['ws-json', 'ping']],
  ['idle', { target: 'ws' }, ['ws-json', undefined]],
  ['idle', { target: 'ws', probe: 'ping' }, ['ws-json', 'ping']],
])('%s with %j has this protocol and this probe', (scenario, flags, expected) => {
  expect(planned(scenario, flags)).toEqual(expected);
});

test.each([
  ['idle', { targetUrl, publishUrl }, ['badOption']],
  ['idle', { targetUrl, protocol: 'raw', publishUrl }, ['missingVerb']],
  ['idle', { targetUrl, protocol: 'ws-json', probe: 'broadcast' }, ['badOption']],
  ['latency', { targetUrl, protocol: 'raw', publishUrl }, ['missingVerb']],
  ['echo', { targetUrl, protocol: 'raw' }, ['missingVerb']],
  ['echo', { targetUrl }, ['badOption']],
])('%s with %j is refused', (scenario, flags, codes) => {
  try {
    plannedRun(named(scenario), given(flags));
    expect.unreachable();
  } catch (error) {
    expect((error as ProblemError).problems.map(({ code }) => code)).toEqual(codes);
  }
});

test('all targets of a comparison have one probe', () => {
  const own = (name: string, options: ExternalTarget['options']): ExternalTarget => ({
    name,
    wsUrl: targetUrl,
    options,
  });
  const both = [own('one', { protocol: 'ws-json', publishUrl }), own('two', {})];
  const { plans } = plannedComparison(named('idle'), given({ targets: ['ws'] }), both);
  expect(plans.map(({ target, options }) => [target.name, target.protocol, options.probe])).toEqual([
    ['ws', 'ws-json', 'ping'],
    ['one', 'ws-json', 'ping'],
    ['two', 'raw', 'ping'],
  ]);
});
