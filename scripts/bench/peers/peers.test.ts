import { expect, it } from 'vitest';
import { expectGolden } from '../../../test/golden.js';
import { type PeerFigures, peersTable } from './peers.js';

const nothing = { rounds: [], held: [], p99: [], failures: [] };
const floor: PeerFigures = {
  ...nothing,
  name: 'floor',
  rounds: [
    { cpuUs: 700, units: 100, readsPerUnit: 0.97 },
    { cpuUs: 300, units: 100, readsPerUnit: 0.91 },
    { cpuUs: 400, units: 100, readsPerUnit: 0.99 },
  ],
  held: [{ bytesPerClient: 16.3, openUs: 41.7 }],
  p99: [{ reportedMs: undefined, serverMs: 7.04 }],
};
const tool: PeerFigures = {
  ...nothing,
  name: 'a tool',
  rounds: [{ cpuUs: 4300, units: 100 }],
  held: [
    { bytesPerClient: 181_690, openUs: 1747 },
    { bytesPerClient: 170_000, openUs: 1500 },
    { bytesPerClient: 190_001, openUs: 1900 },
  ],
  p99: [
    { reportedMs: 71.04, serverMs: 7 },
    { reportedMs: 53, serverMs: 5 },
    { reportedMs: 97, serverMs: 11 },
  ],
};
const missing: PeerFigures = { ...nothing, name: 'another', lack: 'npm install another' };
const failed: PeerFigures = { ...nothing, name: 'a third', failures: ['deliveries: 7 messages of 11'] };

it('prints medians, and says what is not here and what went wrong', async () => {
  const text = peersTable([floor, tool, missing, failed]);
  await expectGolden('peers.txt', { 'all kinds of peers': text });
  expect(text).toContain('4.0 us');
  expect(text).toContain('71.0 ms');
});
