import { median } from 'simple-statistics';
import { request } from 'undici';
import { decodeCounts, decodeSamples, type Samples } from '../../measure/samples/samples.js';
import { type MetronomeRecord, metronomeRecord, recordPaths } from '../../targets/metronome/record.js';
import { outsideText } from '../../units/outside-text.js';

/** What a metronome was asked to do and did to the deliveries of one stream. */
export interface Truth {
  totals: MetronomeRecord['totals'];
  asked: Samples;
  /** Broadcasts per second that the metronome wrote out; null with fewer than two. */
  donePerSecond: number | null;
  /** From the rig's stamp of the send to the metronome's of the write, first copies only: latency without the rig. */
  done: Samples;
}

/** Fetches a metronome's record from a sequence number on. Throws an Error that names a failed request. */
export async function fetchTruth(wsUrl: string, stream: string, from: number, sentAtUs: Uint32Array): Promise<Truth> {
  const at = (path: string): URL => {
    const url = new URL(path, wsUrl.replace(/^ws/, 'http'));
    url.searchParams.set('stream', stream);
    url.searchParams.set('from', String(from));
    return url;
  };
  const [summary, asked, writes] = await Promise.all([
    readBody(at(recordPaths.summary)).then((json) => metronomeRecord.parse(JSON.parse(Buffer.from(json).toString()))),
    readBody(at(recordPaths.asked)),
    readBody(at(recordPaths.writes)),
  ]);
  const written = decodeCounts(writes);
  const done = doneSinceSent(summary.broadcasts, written, (sequence) => sentAtUs[sequence - from] ?? 0);
  const donePerSecond = rateOf(summary.broadcasts, written);
  return { totals: summary.totals, asked: decodeSamples(asked), done, donePerSecond };
}

/** Adds the way of the publish to each delay since the metronome read it; microseconds modulo 2^32. */
export function doneSinceSent(
  broadcasts: readonly { sequence: number; receivedAtNs: number }[],
  writes: Uint32Array,
  sentAtUs: (sequence: number) => number,
): Samples {
  const wayOf = (sequence: number, receivedAtNs: number) =>
    (Math.floor(receivedAtNs / 1000) - sentAtUs(sequence)) >>> 0;
  const wayUs = new Map(broadcasts.map(({ sequence, receivedAtNs }) => [sequence, wayOf(sequence, receivedAtNs)]));
  const values = new Uint32Array(writes.length / 2);
  for (let pair = 0; pair < values.length; pair++) {
    values[pair] = (wayUs.get(writes[2 * pair] as number) ?? 0) + (writes[2 * pair + 1] as number);
  }
  return { kind: 'raw', values: values.sort() };
}

/**
 * How many broadcasts a second were written, by the middle write of the first and of the last: a backlog makes the last
 * one late.
 */
export function rateOf(
  broadcasts: readonly { sequence: number; receivedAtNs: number }[],
  writes: Uint32Array,
): number | null {
  const delaysUs = new Map<number, number[]>();
  for (let at = 0; at < writes.length; at += 2) {
    const [sequence, us] = [writes[at] as number, writes[at + 1] as number];
    const delays = delaysUs.get(sequence);
    if (delays) delays.push(us);
    else delaysUs.set(sequence, [us]);
  }
  const moments = broadcasts
    .flatMap(({ sequence, receivedAtNs }) => {
      const delays = delaysUs.get(sequence);
      return delays ? [{ sequence, us: receivedAtNs / 1000 + median(delays) }] : [];
    })
    .sort((one, other) => one.sequence - other.sequence);
  const [first, last] = [moments[0], moments.at(-1)];
  if (first === undefined || last === undefined || last.us <= first.us) return null;
  return ((last.sequence - first.sequence) * 1e6) / (last.us - first.us);
}

async function readBody(url: URL): Promise<Uint8Array> {
  const { statusCode, body } = await request(url);
  if (statusCode !== 200) throw new Error(`${url} answered ${statusCode}: ${outsideText(await body.text())}`);
  return new Uint8Array(await body.arrayBuffer());
}
