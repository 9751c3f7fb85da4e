import type { BatchWay } from '../broadcasts/publisher.js';
import type { PublisherContext } from '../scenario.js';
import type { ThroughputOptions } from './options.js';

/** Half of what a target takes in one request (servers/README.md). */
const maxBatchBytes = 512 * 1024;

/** A batch of a loop of that rate: no more than falls due in a second, and than a request carries, but one at least. */
export function batchOf(ratePerSecond: number, payloadBytes: number): number {
  // In a string of JSON a character takes two at most, and there are quotes and a comma around it.
  const carried = Math.floor(maxBatchBytes / (2 * payloadBytes + 3));
  return Math.max(1, Math.min(Math.floor(ratePerSecond), carried));
}

/** Has the target publish by itself, in batches, without an HTTP request for each broadcast. */
export function inProcessPublishing(context: PublisherContext<ThroughputOptions>): BatchWay {
  const { publishBatch, payload, options } = context;
  return {
    batchOf: (ratePerSecond) => batchOf(ratePerSecond, options.payloadBytes),
    async publishBatch(sequences, ratePerSecond) {
      if (!publishBatch) throw new Error('the job names no address that takes batches');
      return publishBatch(
        sequences.map((sequence) => payload(sequence)),
        ratePerSecond,
      );
    },
  };
}
