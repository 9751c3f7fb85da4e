import type { MachineLimits, ShardInfo } from '../src/contract/shard.js';
import type { RunNeed } from '../src/run/plan/preflight.js';

/** A machine that says nothing of its limits. */
export const unknownLimits: MachineLimits = {
  descriptors: null,
  descriptorsUsed: null,
  sourcePorts: null,
  portsTaken: null,
  connectionTracking: null,
  memoryAvailableBytes: null,
  machineMemoryAvailableBytes: null,
};

/** The clock of the machine of each shard. */
export const clockId = '93c18369/time:[4026531834]';

/** 127.0.7.0 and so on. */
export const addresses = (count: number): string[] => Array.from({ length: count }, (_, index) => `127.0.7.${index}`);

/** What 1,009 clients of one target need. */
export const need = (more: Partial<RunNeed> = {}): RunNeed => ({
  clients: 1009,
  halfOpen: 0,
  maxInFlight: 61,
  prefersNative: true,
  sourceAddresses: addresses(1),
  targetProcesses: 1,
  targetPorts: 1,
  targetClockId: null,
  targetDescriptors: null,
  targetBytes: { connection: 600, process: 30_000_000 },
  ...more,
});

/** The native engine, as a bench-runner offers it. */
export const native: Partial<ShardInfo> = { engine: { name: 'native', clientsPerTable: 19_000 } };

/** A bench-runner with these limits; of those that are not given it says nothing. */
export function shard(
  limits: Partial<ShardInfo['limits']> = {},
  more: Partial<ShardInfo> = {},
  url = 'http://ring:8080',
) {
  const info: ShardInfo = {
    contract: 1,
    version: '0.1.0',
    bootId: '49ac5d31',
    clockId,
    machine: { kernel: 'Linux', cpu: 'AMD', cores: 2, memoryBytes: 7, runtime: 'node' },
    engine: { name: 'js' },
    limits: {
      clients: 1_000_000,
      publishesPerSecond: 10_000,
      payloadBytes: 1_000_000,
      durationMs: 3_600_000,
      bodyBytes: 1_000_000,
      ...unknownLimits,
      ...limits,
    },
    allowTargets: ['loopback'],
    allowsModules: false,
    ...more,
  };
  return { url, info };
}
