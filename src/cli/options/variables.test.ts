import { expect, it } from 'vitest';
import { strayVariables } from './variables.js';

it('knows a misspelt variable by the one that is meant, and leaves alone what no option was meant by', async () => {
  const env = { RINGSIDE_SUBSCRIBER: '500', RINGSIDE_MAX_CLIENTS: '7', RINGSIDE_STAGING_TOKEN: 'hush', HOME: '/h' };
  const { problems, others } = await strayVariables(env);
  expect(problems.map(({ message, hint }) => [message.split(':')[0], hint])).toEqual([
    ['RINGSIDE_SUBSCRIBER', 'Did you mean RINGSIDE_SUBSCRIBERS?'],
  ]);
  expect(others).toEqual(['RINGSIDE_STAGING_TOKEN']);
});

it('has nothing to say of what options are read from', async () => {
  const names = ['RATE', 'TARGET', 'LIMIT', 'WATCH', 'PRECISION', 'SCALE', 'BOUND', 'BASELINE', 'EXIT_WITH_STDIN'];
  const env = Object.fromEntries(names.map((name) => [`RINGSIDE_${name}`, '1']));
  expect(await strayVariables(env)).toEqual({ problems: [], others: [] });
});
