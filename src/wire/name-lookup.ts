import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';

/**
 * A resolver that asks the system once per host name: thousands of lookups would queue for a few resolver threads, and
 * their wait would look like the target's. A failure is not kept.
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
