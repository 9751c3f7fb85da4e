import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import os from 'node:os';
import { exhausted, unlessCode } from '../../units/system.js';
import { readMachineState } from './machine-state.js';

/** Describes the machine and runtime of this process. It omits the host name because results may be published. */
export function readMachine() {
  return {
    kernel: `${os.type()} ${os.release()}`,
    cpu: os.cpus()[0]?.model ?? 'unknown',
    cores: os.availableParallelism(),
    memoryBytes: os.totalmem(),
    runtime: `node ${process.versions.node}`,
    ...readMachineState(),
  };
}

/** Returns the name of the monotonic clock: boot and time namespace. Subtract only stamps of one clock. */
export function readClockId(): string {
  if (process.platform !== 'linux') return `${os.hostname()}/${process.platform}`;
  const bootId = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  // Kernels before 5.6 have one unnamed time namespace.
  return `${bootId}/${unlessCode(['ENOENT'], () => readlinkSync('/proc/self/ns/time')) ?? 'time:host'}`;
}

/** Reads a file of `/proc`. Undefined if this process has no free descriptor. */
export function readProcText(path: string): string | undefined {
  return unlessCode(exhausted, () => readFileSync(path, 'utf8'));
}

/** Counts the open descriptors of this process. Undefined if it has no free one. */
export function countDescriptors(): number | undefined {
  return unlessCode(exhausted, () => readdirSync('/proc/self/fd').length);
}

/** Reads the resident memory of this process. Undefined if it has no free descriptor. */
export function readRssBytes(): number | undefined {
  return unlessCode(exhausted, () => process.memoryUsage.rss());
}
