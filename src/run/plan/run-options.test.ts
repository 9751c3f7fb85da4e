import { expect, it } from 'vitest';
import { resolveOptions } from '../../options/resolve.js';
import { fleetOptions, targetOptions } from './run-options.js';

const schema = fleetOptions.extend(targetOptions.shape);

it.each(['token', 'publishToken'])('%s is no secret that no header can carry, and stays hidden', (key) => {
  for (const secret of ['hush\r', 'hush\nX-A: b', 'hush\0', 'hush\u2713']) {
    const resolved = resolveOptions(schema, { flags: { [key]: secret } });
    expect(resolved.ok ? [] : resolved.issues.map(({ received }) => received)).toEqual(['(hidden)']);
  }
  expect(resolveOptions(schema, { flags: { [key]: 'a.b-c_d=\u00e9' } }).ok).toBe(true);
});
