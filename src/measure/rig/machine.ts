import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import os from 'node:os';

/** Describes the machine and runtime of this process. It omits the host name because results may be published. */
export function readMachine() {
  return {
    kernel: `${os.type()} ${os.release()}`,
    cpu: os.cpus()[0]?.model ?? 'unknown',
    cores: os.availableParallelism(),
    memoryBytes: os.totalmem(),
    runtime: `node ${process.versions.node}`,
  };
}

/**
 * Returns the name of this process's monotonic clock: kernel boot and time namespace. Subtract stamps only if it is
 * equal.
 */
export function readClockId(): string {
  if (process.platform !== 'linux') return `${os.hostname()}/${process.platform}`;
  const bootId = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  return `${bootId}/${timeNamespace()}`;
}

function timeNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/time');
  } catch (error) {
    // Kernels before 5.6 have one unnamed time namespace.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'time:host';
    throw error;
  }
}

/** Reads a file of `/proc`. Undefined if this process has no free descriptor. */
export function readProcText(path: string): string | undefined {
  return unlessExhausted(() => readFileSync(path, 'utf8'));
}

/** Counts the open descriptors of this process. Undefined if it has no free one. */
export function countDescriptors(): number | undefined {
  return unlessExhausted(() => readdirSync('/proc/self/fd').length);
}

/** Reads the resident memory of this process. Undefined if it has no free descriptor. */
export function readRssBytes(): number | undefined {
  return unlessExhausted(() => process.memoryUsage.rss());
}

function unlessExhausted<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EMFILE' || code === 'ENFILE') return undefined;
    throw error;
  }
}
