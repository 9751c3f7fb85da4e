import { expect, it } from 'vitest';
import { carriedInWords, clientsCarried, stateAdvice } from './command.js';

const limits = { descriptors: 20_000, connectionTracking: null, memoryAvailableBytes: 25e9 };

it('names the least limit with the clients that it leaves', () => {
  expect(clientsCarried(limits)).toEqual({ clients: 19_736, limit: 'open files (ulimit -n)' });
  expect(clientsCarried({ ...limits, memoryAvailableBytes: 16e6 })).toEqual({ clients: 1000, limit: 'memory' });
  expect(clientsCarried({ ...limits, connectionTracking: { tracked: 11, most: 1000 } })?.clients).toBe(989);
  expect(clientsCarried({ ...limits, descriptors: 100 })?.clients).toBe(0);
});

it('rounds down to two digits', () => {
  expect(carriedInWords(clientsCarried(limits))).toBe('about 19,000 clients here; limited by open files (ulimit -n)');
  expect(carriedInWords(undefined)).not.toMatch(/\d/);
});

it('advises on each state that changes conclusions, and on no other', () => {
  const machine = { kernel: 'Linux', cpu: 'AMD', cores: 2, memoryBytes: 7, runtime: 'node' };
  const quiet = { governor: 'performance', turbo: 'off', smt: 'off', wakeUs: 2, virtualisation: 'none' } as const;
  expect([stateAdvice(machine), stateAdvice({ ...machine, ...quiet })]).toEqual([[], []]);
  const loud = { governor: 'powersave', turbo: 'on', smt: 'on', wakeUs: 133, virtualisation: 'KVM' } as const;
  expect(stateAdvice({ ...machine, ...loud })).toEqual(
    [/powersave/, /turbo/, /SMT/, /133 µs/, /KVM/].map((word) => expect.stringMatching(word)),
  );
});
