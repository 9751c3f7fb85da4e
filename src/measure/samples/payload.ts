const shardDigits = 3;
/** Nine, so that every sequence number fits 32 bits. */
const sequenceDigits = 9;
const head = '{"m":"';
const tail = '"}';
const zero = 48;

const markerOf = (runId: string): string => `ringside:${runId}:`;
const runIdPattern = /^[0-9a-f]{8}$/;
const sequenceOffset = markerOf('00000000').length + shardDigits + 1;

/** Minimum bytes of a broadcast, without padding. */
export const minPayloadBytes = head.length + sequenceOffset + sequenceDigits + 1 + tail.length;

/** Returns the sequence number in the data of a send, as `PayloadFormat.text` makes it. */
export function sequenceOfData(data: string): number {
  const from = head.length + sequenceOffset;
  return Number(data.slice(from, from + sequenceDigits));
}

/** Returns the data for a place that takes no JSON: letters, digits and colons alone, at the original length. */
export function markerAlone(data: string): string {
  return data.slice(head.length, -tail.length) + 'x'.repeat(head.length + tail.length);
}

/**
 * Makes the data of every broadcast of a run, exactly `payloadBytes` bytes long:
 *
 *     {"m":"ringside:<run id, 8 hex>:<shard, 3 digits>:<sequence, 9 digits>:<padding>"}
 *
 * Throws RangeError on another run id or fewer than `minPayloadBytes`.
 */
export function payloadFormat(runId: string, payloadBytes: number) {
  if (!runIdPattern.test(runId)) throw new RangeError(`no run id: ${runId}`);
  if (!Number.isSafeInteger(payloadBytes) || payloadBytes < minPayloadBytes) {
    throw new RangeError(`a payload has ${minPayloadBytes} bytes or more, not ${payloadBytes}`);
  }
  const marker = markerOf(runId);
  const end = `:${'x'.repeat(payloadBytes - minPayloadBytes)}${tail}`;
  return {
    marker,
    /** Distance from the start of the marker to the first digit of the sequence number. */
    sequenceOffset,
    sequenceDigits,
    /** Returns ASCII JSON of exactly the run's payload bytes. Throws RangeError if a number does not fit its digits. */
    text: (shard: number, sequence: number): string =>
      `${head}${marker}${digits(shard, shardDigits)}:${digits(sequence, sequenceDigits)}${end}`,
    sequenceOf: sequenceFinder({ marker, sequenceOffset, sequenceDigits }),
  };
}

/** Writes and recognises the broadcasts of a run. */
export type PayloadFormat = ReturnType<typeof payloadFormat>;

/** Finds the sequence number behind a marker, else -1. Allocates nothing. */
export function sequenceFinder(of: { marker: string; sequenceOffset: number; sequenceDigits: number }) {
  return (text: string): number => {
    const start = text.indexOf(of.marker);
    if (start < 0) return -1;
    let sequence = 0;
    for (let at = start + of.sequenceOffset; at < start + of.sequenceOffset + of.sequenceDigits; at++) {
      const digit = text.charCodeAt(at) - zero;
      // Past the end of the text charCodeAt gives NaN, which no comparison accepts.
      if (!(digit >= 0 && digit <= 9)) return -1;
      sequence = sequence * 10 + digit;
    }
    return sequence;
  };
}

function digits(value: number, width: number): string {
  const text = String(value).padStart(width, '0');
  if (!Number.isInteger(value) || value < 0 || text.length > width)
    throw new RangeError(`${value} does not fit ${width} digits`);
  return text;
}
