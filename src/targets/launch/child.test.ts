import { afterEach, expect, it, vi } from 'vitest';
import { targetEnvironment } from './child.js';

afterEach(() => {
  vi.unstubAllEnvs();
});

it('hands on what finds programs, and no setting of ours', () => {
  vi.stubEnv('PATH', '/somewhere');
  vi.stubEnv('LANG', undefined);
  for (const name of ['NODE_OPTIONS', 'DEBUG', 'GOMAXPROCS', 'ANYCABLE_HISTORY_LIMIT', 'RINGSIDE_TOKEN'])
    vi.stubEnv(name, '7');
  const {
    HOME: _home,
    TMPDIR: _tmpdir,
    LD_LIBRARY_PATH: _libraries,
    ...rest
  } = targetEnvironment({ A: '1', B: '2' }, { B: '3' });
  expect(rest).toEqual({ PATH: '/somewhere', A: '1', B: '3' });
});
