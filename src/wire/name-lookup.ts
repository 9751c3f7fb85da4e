import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';

/**
 * A resolver for one host name that asks the system once and gives every connection the same answer: thousands of lookups would queue for the
 * process's few resolver threads, and the wait would pass for the target's. A failure is not kept.
 */
export function createLookupOnce(resolve: typeof lookup = lookup): LookupFunction {
  const answers = new Map<string, Promise<LookupAddress[]>>();
  return (hostname, options, callback) => {
    const kind = `${options.family ?? 0}`;
    let answer = answers.get(kind);
    if (answer === undefined) {
      answer = resolve(hostname, { ...options, all: true });
      answers.set(kind, answer);
    }
    answer.then(
      (addresses) => {
        if (options.all === true) callback(null, addresses);
        else callback(null, addresses[0]!.address, addresses[0]!.family);
      },
      (error: NodeJS.ErrnoException) => {
        answers.delete(kind);
        callback(error, '');
      },
    );
  };
}
