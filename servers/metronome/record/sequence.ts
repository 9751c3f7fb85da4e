import { minPayloadBytes, type PayloadFormat, payloadFormat } from '../../../src/measure/samples/payload.js';

const runIdIn = /ringside:([0-9a-f]{8}):/;

/** Reads the sequence numbers of broadcasts whatever run they are of. */
export class SequenceReader {
  #runId = '';
  #format: PayloadFormat | undefined;

  /** The sequence number in the data of a broadcast, or -1 where it has no marker of ours. */
  of(data: string): number {
    const runId = runIdIn.exec(data)?.[1];
    if (runId === undefined) return -1;
    if (this.#format === undefined || runId !== this.#runId) {
      this.#format = payloadFormat(runId, minPayloadBytes);
      this.#runId = runId;
    }
    return this.#format.sequenceOf(data);
  }
}
