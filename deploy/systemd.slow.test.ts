import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { lackOf, printed, titled } from '../test/engines.js';

const unit = fileURLToPath(new URL('systemd/ringside-bench-runner.service', import.meta.url));
const lack = lackOf('systemd-analyze', ['--version'], 'apt-get install systemd');

describe.skipIf(lack)(titled('systemd', lack), () => {
  it('understands every line of the unit', () => {
    expect(printed('systemd-analyze', ['verify', unit])).toBe('');
  });

  it('calls its exposure low', () => {
    // Out of 100: from 23 on it says "medium" where a service may use the network and compile code.
    printed('systemd-analyze', ['security', '--offline=yes', '--threshold=20', unit]);
  });
});
