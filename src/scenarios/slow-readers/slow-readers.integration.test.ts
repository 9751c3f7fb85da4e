import { describe, expect, it } from 'vitest';
import { counts, measure } from '../../../test/runs/slow-readers.js';

describe.each(['native', 'js'])('with the %s engine', (engine) => {
  it('a target that keeps all for slow readers has them read it later', async () => {
    const result = await measure(120, ['--target', 'ws', '--engine', engine, '--payload', '20kb']);
    expect(counts(result)).toMatchObject({ slowCut: 0, slowLostByCut: 0, slowDropped: 0, slowStayed: 3 });
    expect(counts(result).slowRead).toBeGreaterThan(0);
    expect(counts(result).slowReadLater).toBeGreaterThan(0);
  });
});
