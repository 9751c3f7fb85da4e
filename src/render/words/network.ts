import { tcpInWords } from '../../measure/tcp.js';
import type { RunResult } from '../../results/result.js';
import { tcpOf } from '../../results/tcp.js';

/** What TCP lost under the load, and what stopped it, in a sentence; empty where there was nothing of that, or nobody counted. */
export function networkInWords({ shards }: Pick<RunResult, 'shards'>): string {
  const counts = tcpOf(shards);
  const words = counts === undefined ? '' : tcpInWords(counts);
  return words === '' ? '' : `${words}; counted of all sockets in the network namespaces of the bench-runners`;
}
