import { describe, it } from 'vitest';
import { splitRun } from '../../test/runs/split.js';

describe.concurrent('one job', () => {
  it.for([
    ['ws', 7],
    ['uws', 2],
    ['socketio', 3],
    ['socketio-csr', 7],
  ] as const)('against %s has the same ledger when it is split %i way(s)', ([target, of]) => splitRun(target, of));
});
