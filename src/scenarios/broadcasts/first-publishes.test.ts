import { describe, expect, it } from 'vitest';
import { scenarios } from '../list.js';
import { firstPublishes, takesNone } from './first-publishes.js';

describe('a target that takes no publish', () => {
  it('is told by the warm-up, or by ten where there is none', () => {
    expect([firstPublishes({ warmUp: 7 }), firstPublishes({ warmUp: 0 })]).toEqual([7, 10]);
    expect(takesNone({ warmUp: 7 }, { published: 11, acked: 0, notTaken: 7 })).toBe(
      'none of the first 7 publishes was acked',
    );
    expect(takesNone({ warmUp: 0 }, { acked: 0, notTaken: 9 })).toBeUndefined();
    expect(takesNone({ warmUp: 0 }, { acked: 0, notTaken: 10 })).toBeDefined();
  });

  it('is none that took one, or that has yet to answer one of the first', () => {
    expect(takesNone({ warmUp: 7 }, { acked: 1, notTaken: 7 })).toBeUndefined();
    expect(takesNone({ warmUp: 7 }, { published: 97, acked: 0, notTaken: 6 })).toBeUndefined();
    expect(takesNone({ warmUp: 7 }, {})).toBeUndefined();
  });

  it('is not looked for where a target is meant to be away', () => {
    const looking = scenarios.filter((each) => each.takesNone !== undefined);
    expect(looking.map(({ name }) => name).sort()).toEqual(['jitter', 'latency', 'throughput']);
    expect(looking.filter(({ disruption }) => disruption !== undefined)).toEqual([]);
  });
});
