import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ExitName, exitCodes, worstExit, worstOfRuns } from './exit-codes.js';

const names = Object.keys(exitCodes) as ExitName[];
const ofOneRun: readonly ExitName[] = ['bug', 'input', 'interrupted', 'shardLost', 'rig', 'threshold', 'clean'];
const ofSeveral: readonly ExitName[] = ['bug', 'input', 'interrupted', 'shardLost', 'threshold', 'rig', 'clean'];

it('exit codes are those that scripts rely on', () => {
  expect(Object.fromEntries(names.map((name) => [name, exitCodes[name].code]))).toEqual({
    clean: 0,
    bug: 1,
    input: 2,
    threshold: 3,
    rig: 4,
    shardLost: 5,
    interrupted: 130,
  });
});

describe.each([
  { name: 'worstExit', worst: worstExit, fromGravest: ofOneRun },
  { name: 'worstOfRuns', worst: worstOfRuns, fromGravest: ofSeveral },
])('$name', ({ worst, fromGravest }) => {
  it('ranks every exit', () => {
    expect([...fromGravest].sort()).toEqual([...names].sort());
  });

  it('is the gravest, whatever the order', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...names), { minLength: 1 }), (list) => {
        const gravest = Math.min(...list.map((name) => fromGravest.indexOf(name)));
        expect(worst(list)).toBe(fromGravest[gravest]);
      }),
    );
  });

  it('of nothing is clean', () => {
    expect(worst([])).toBe('clean');
  });
});
