import type { BatchWay } from '../broadcasts/publisher.js';
import type { PublisherContext } from '../scenario.js';
import type { ThroughputOptions } from './options.js';

/** Publishes in batches, one request each, of what falls due in a second, but no more than a request can hold. */
export function batchPublishing({ together, payload }: PublisherContext<ThroughputOptions>): BatchWay {
  if (!together) throw new Error('the publish address takes no batches');
  return {
    batchOf: (ratePerSecond) => Math.max(1, Math.min(together.most, Math.floor(ratePerSecond))),
    async publishBatch(sequences) {
      const answer = await together.publish(sequences.map((sequence) => payload(sequence)));
      // All of a request leave at once, so none is earlier than its answer.
      return typeof answer === 'number' && answer >= 200 && answer < 300 ? { tookMs: 0 } : answer;
    },
  };
}
