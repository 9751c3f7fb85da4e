import { request } from 'undici';
import { decodeCounts, decodeSamples, type Samples } from '../../measure/samples/samples.js';
import { type MetronomeRecord, metronomeRecord, recordPaths } from '../../targets/metronome/record.js';
import { outsideText } from '../../units/outside-text.js';

/** What a metronome was asked to do and did to the deliveries of one stream. */
export interface Truth {
  totals: MetronomeRecord['totals'];
  asked: Samples;
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
  const done = doneSinceSent(summary.broadcasts, decodeCounts(writes), (sequence) => sentAtUs[sequence - from] ?? 0);
  return { totals: summary.totals, asked: decodeSamples(asked), done };
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

async function readBody(url: URL): Promise<Uint8Array> {
  const { statusCode, body } = await request(url);
  if (statusCode !== 200) throw new Error(`${url} answered ${statusCode}: ${outsideText(await body.text())}`);
  return new Uint8Array(await body.arrayBuffer());
}
