import { expect, it } from 'vitest';
import { nearestName, strayVariables } from './variables.js';

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
