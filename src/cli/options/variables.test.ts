import { expect, it } from 'vitest';
import { nearestName, strayVariables, withoutServiceLinks } from './variables.js';

it('knows a misspelt variable by the one that is meant, and leaves alone what no option was meant by', async () => {
  const env = { RINGSIDE_CLIETS: '500', RINGSIDE_MAX_CLIENTS: '7', RINGSIDE_STAGING_TOKEN: 'hush', HOME: '/h' };
  const { problems, others } = await strayVariables(env);
  expect(problems.map(({ message, hint }) => [message.split(':')[0], hint])).toEqual([
    ['RINGSIDE_CLIETS', 'Did you mean RINGSIDE_CLIENTS?'],
  ]);
  expect(others).toEqual(['RINGSIDE_STAGING_TOKEN']);
});

it('has nothing to say of what options are read from', async () => {
  const names = [
    'RATE',
    'TARGET',
    'LIMIT',
    'WATCH',
    'PRECISION',
    'SCALE',
    'BOUND',
    'BASELINE',
    'EXIT_WITH_STDIN',
    'FLOW_TOKEN',
  ];
  const env = Object.fromEntries(names.map((name) => [`RINGSIDE_${name}`, '1']));
  expect(await strayVariables(env)).toEqual({ problems: [], others: [] });
});

it('takes the address of a service named ringside for no port', () => {
  const env = { RINGSIDE_PORT: 'tcp://10.0.0.1:9001', RINGSIDE_HOST: '0.0.0.0', SHARDS: 'http://127.0.0.1:7001' };
  expect(withoutServiceLinks(env)).toEqual({ RINGSIDE_HOST: '0.0.0.0', SHARDS: 'http://127.0.0.1:7001' });
  const given = { RINGSIDE_PORT: '9001', RINGSIDE_WATCH_PORT: 'udp://[::1]:7' };
  expect(withoutServiceLinks(given)).toEqual({ RINGSIDE_PORT: '9001' });
});

const names = ['RATE', 'RAMP_RATE', 'SUBSCRIBERS', 'BROADCASTS'];

it.each([
  ['SUBSCRIBER', 'SUBSCRIBERS'],
  ['SUBSRCIBERS', 'SUBSCRIBERS'],
  ['BROADCATS', 'BROADCASTS'],
  ['RAMPRATE', 'RAMP_RATE'],
  ['RATES', 'RATE'],
  ['SUBS', undefined],
  ['', undefined],
])('%s is meant for %s', (name, meant) => {
  expect(nearestName(name, names)).toBe(meant);
});
