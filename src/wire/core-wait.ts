import { openSync, readSync } from 'node:fs';

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

function openSchedstat(): number | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    return openSync('/proc/thread-self/schedstat', 'r');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // A kernel without it, or no free descriptor.
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
