import { expect, it } from 'vitest';
import { readClockId, readMachine } from './machine.js';

it('names the machine and the runtime', () => {
  const machine = readMachine();
  expect(machine).toMatchObject({ runtime: `node ${process.versions.node}` });
  expect(machine.cores).toBeGreaterThan(0);
  expect(machine.memoryBytes).toBeGreaterThan(1e6);
});

it('names one and the same clock each time', () => {
  expect(readClockId()).toBe(readClockId());
  expect(readClockId()).toMatch(
    process.platform === 'linux' ? /^[0-9a-f-]{36}\/time:(\[\d+\]|host)$/ : new RegExp(`/${process.platform}$`),
  );
});
