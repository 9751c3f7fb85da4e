import { chmodSync } from 'node:fs';

// The compiler drops the executable bit that a `bin` needs in a checkout.
chmodSync(new URL('../src/cli/main.js', import.meta.url), 0o755);
