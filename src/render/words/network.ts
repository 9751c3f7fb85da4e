import { lossesInWords } from '../../measure/tcp-words.js';
import type { RunResult } from '../../results/result.js';
import { tcpOf } from '../../results/tcp.js';

/** What TCP lost under the load, in a sentence; empty where it lost nothing, or nobody counted. */
export function networkInWords({ shards }: Pick<RunResult, 'shards'>): string {
  const counts = tcpOf(shards);
  const losses = counts === undefined ? '' : lossesInWords(counts);
  return losses === '' ? '' : `${losses}; counted of all sockets in the network namespaces of the bench-runners`;
}
