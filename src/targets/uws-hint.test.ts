import { expect, it } from 'vitest';
import { uwsHint } from './uws-hint.js';

it('names versions of Node only where one of them helps', () => {
  expect(uwsHint(false)).toMatch(/Node \d/);
  expect(uwsHint(true)).not.toMatch(/Node \d/);
});
