import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import os from 'node:os';

/** The machine and runtime under this process, as results name them: not by its host name, which is nobody’s business where results are published. */
export function readMachine(): {
  kernel: string;
  cpu: string;
  cores: number;
  memoryBytes: number;
  runtime: string;
} {
  return {
    kernel: `${os.type()} ${os.release()}`,
    cpu: os.cpus()[0]?.model ?? 'unknown',
    cores: os.availableParallelism(),
    memoryBytes: os.totalmem(),
    runtime: `node ${process.versions.node}`,
  };
}

/** Names the monotonic clock of this process: kernel boot and time namespace. Stamps may be subtracted where it is equal, and nowhere else. */
export function readClockId(): string {
  if (process.platform !== 'linux') return `${os.hostname()}/${process.platform}`;
  const bootId = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  return `${bootId}/${timeNamespace()}`;
}

function timeNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/time');
  } catch (error) {
    // Kernels before 5.6 have one time namespace and no name for it.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'time:host';
    throw error;
  }
}

/** Text of a file of `/proc`; undefined when this process has no descriptor left to read it with, which is nothing to fall over. */
export function readProcText(path: string): string | undefined {
  return unlessExhausted(() => readFileSync(path, 'utf8'));
}

/** How many descriptors this process has open; undefined when it has none left to count them with. */
export function countDescriptors(): number | undefined {
  return unlessExhausted(() => readdirSync('/proc/self/fd').length);
}

/** Resident memory of this process; undefined when it has no descriptor left to read it with. */
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
