import { expect, it } from 'vitest';
import { loadVariables } from './script.js';

it('names what would change the load, and nothing else', () => {
  const load = ['SHARDS', 'TARGET', 'RINGSIDE_WORKERS', 'RINGSIDE_TARGET_URL'];
  const others = ['PATH', 'TARGETS', 'RINGSIDE_RESULTS', 'RINGSIDE_TRUST', 'ANYCABLE_GO_BIN'];
  expect(loadVariables([...others, ...load])).toEqual(load);
});
