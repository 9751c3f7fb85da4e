import { openSync, readFileSync, readSync } from 'node:fs';

const space = 32;
const zero = 48;

/**
 * Reads how long the calling thread has been ready to run without a core so far, in nanoseconds: the second number of
 * `/proc/thread-self/schedstat`, which includes stolen time. Always 0 where the kernel does not count it. The reader
 * works only on the thread that made it. It keeps one descriptor and allocates nothing per call.
 */
export function coreWaitReader(): () => number {
  const fd = openSchedstat();
  if (fd === undefined) return () => 0;
  const text = new Uint8Array(64);
  return () => secondNumber(text, readSync(fd, text, 0, text.length, 0));
}

/** How long a thread of this process ran so far, and was ready to run without a core; 0 where that is not told. */
export function readThreadTimes(tid: number): { cpuNs: number; coreWaitNs: number } {
  const text = unlessLacking(() => readFileSync(`/proc/self/task/${tid}/schedstat`, 'latin1')) ?? '0 0';
  const [cpuNs, coreWaitNs] = text.split(' ').map(Number) as [number, number];
  return { cpuNs, coreWaitNs };
}

function openSchedstat(): number | undefined {
  if (process.platform !== 'linux') return undefined;
  return unlessLacking(() => openSync('/proc/thread-self/schedstat', 'r'));
}

/** Undefined from a kernel without the file, and without a free descriptor. */
function unlessLacking<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'EMFILE' || code === 'ENFILE') return undefined;
    throw error;
  }
}

function secondNumber(text: Uint8Array, length: number): number {
  let value = 0;
  for (let at = text.indexOf(space) + 1; at < length && text[at] !== space; at++)
    value = value * 10 + (text[at] as number) - zero;
  return value;
}
