import type { Availability } from '../src/targets/launch/programs.js';
import type { Target } from '../src/targets/target.js';

/** Set at the speed that covers what `ringside install` and the system bring (`.vitest.config.ts`). */
const isForInstalled = process.env.TEST_INSTALLED_TARGETS !== undefined;

/** Whether a target is here to be tested at this speed: `npm test` covers what `npm ci` brings, slow tests all else. */
export function testable(target: Pick<Target, 'needs' | 'availability'>): Promise<Availability> {
  const isInstalled = (target.needs ?? []).length > 0;
  if (isInstalled === isForInstalled) return target.availability();
  const why = isInstalled ? 'only slow tests cover it' : '`npm test` covers it';
  return Promise.resolve({ isAvailable: false, why, hint: '' });
}
