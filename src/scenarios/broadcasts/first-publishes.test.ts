import { describe, expect, it } from 'vitest';
import { scenarios } from '../list.js';
import { takesNone } from './first-publishes.js';

describe('a target that takes no publish', () => {
  it('is told by the first ten, however short or long the warm-up', () => {
    expect(takesNone({ published: 11, acked: 0, notTaken: 10 })).toMatch(/\b10\b/);
    expect(takesNone({ published: 11, acked: 0, notTaken: 9 })).toBeUndefined();
  });

  it('is none that took one, or that has yet to answer one of the first', () => {
    expect(takesNone({ acked: 1, notTaken: 10 })).toBeUndefined();
    expect(takesNone({ published: 97, acked: 0, notTaken: 6 })).toBeUndefined();
    expect(takesNone({})).toBeUndefined();
  });

  it('is not looked for where a target is meant to be away', () => {
    const looking = scenarios.filter((each) => each.takesNone !== undefined);
    expect(looking.map(({ name }) => name).sort()).toEqual(['jitter', 'latency', 'soak-and-burst', 'throughput']);
    expect(looking.filter(({ disruption }) => disruption !== undefined)).toEqual([]);
  });
});
