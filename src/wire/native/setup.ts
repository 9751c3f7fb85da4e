import { clientPlaceholder } from '../../units/client-number.js';
import { closeTimeoutMs } from '../deadlines.js';
import { requestBeforeKey } from '../upgrade.js';
import type { Reply, WireSetup, WireSink } from '../wire.js';
import { type NativeSetup, replyFlag } from './addon.js';
import { clientsPerTable } from './tables.js';

/** Everything but the addresses of the target. Throws a TypeError for a wrong address or header. */
export function nativeSetup(setup: WireSetup, sink: WireSink): Omit<NativeSetup, 'targets'> {
  const { scan, capacity, replies = [] } = setup;
  const url = new URL(setup.url);
  return {
    port: url.port === '' ? 80 : Number(url.port),
    sources: setup.localAddresses.map(bytesOf),
    request: requestBeforeKey(setup)
      .split(clientPlaceholder)
      .map((part) => Buffer.from(part, 'latin1')),
    subprotocols: setup.subprotocols.map(bytesOf),
    marker: bytesOf(scan.marker),
    sequenceOffset: scan.sequenceOffset,
    sequenceDigits: scan.sequenceDigits,
    acknowledgement: bytesOf(scan.acknowledgement ?? ''),
    hasJudge: scan.isDelivery !== undefined,
    deliveryHeads: (scan.deliveryHeads ?? []).map(bytesOf),
    keepsPositions: sink.position !== undefined,
    received: replies.map(({ received }) => bytesOf(received)),
    replies: replies.map(({ send = '' }) => bytesOf(send)),
    replyFlags: Uint8Array.from(replies, replyFlagsOf),
    connectTimeoutMs: setup.connectTimeoutMs,
    closeTimeoutMs,
    originNs: readOriginNs(),
    capacity,
    loops: Math.max(1, Math.ceil(capacity / clientsPerTable)),
  };
}

function replyFlagsOf({ isPrefix, send }: Reply): number {
  return (isPrefix ? replyFlag.toPrefix : 0) | (send !== undefined ? replyFlag.hasText : 0);
}

function bytesOf(text: string): Uint8Array {
  return Buffer.from(text);
}

/** The time origin of `performance.now` on CLOCK_MONOTONIC, from the closest of several pairs of readings. */
function readOriginNs(): number {
  let [originNs, gapNs] = [0, Number.POSITIVE_INFINITY];
  for (let i = 0; i < 16; i++) {
    const beforeNs = performance.now() * 1e6;
    const hostNs = Number(process.hrtime.bigint());
    const afterNs = performance.now() * 1e6;
    if (afterNs - beforeNs < gapNs) [originNs, gapNs] = [hostNs - (beforeNs + afterNs) / 2, afterNs - beforeNs];
  }
  return Math.round(originNs);
}
