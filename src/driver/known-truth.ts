import { request } from 'undici';
import type { z } from 'zod';
import { decodeSamples } from '../measure/sample-body.js';
import type { Samples } from '../measure/samples.js';
import { type MetronomeRecord, metronomeRecord, recordPaths } from '../targets/metronome/record.js';

/** What a metronome says that it was asked to do, and did, to the deliveries of one stream. */
export interface Truth {
  totals: MetronomeRecord['totals'];
  asked: Samples;
  done: Samples;
}

/** Fetches a metronome's record of the broadcasts from a sequence number on. Throws an Error that names the request which it did not answer as it should. */
export async function fetchTruth(wsUrl: string, stream: string, from: number): Promise<Truth> {
  const at = (path: string): URL => {
    const url = new URL(path, wsUrl.replace(/^ws/, 'http'));
    url.searchParams.set('stream', stream);
    url.searchParams.set('from', String(from));
    return url;
  };
  const [summary, asked, done] = await Promise.all([
    readJson(at(recordPaths.summary), metronomeRecord),
    readSamples(at(recordPaths.asked)),
    readSamples(at(recordPaths.done)),
  ]);
  return { totals: summary.totals, asked, done };
}

async function readJson<S extends z.ZodType>(url: URL, schema: S): Promise<z.output<S>> {
  const { statusCode, body } = await request(url);
  if (statusCode !== 200) throw new Error(`${url} answered ${statusCode}: ${await body.text()}`);
  return schema.parse(await body.json());
}

async function readSamples(url: URL): Promise<Samples> {
  const { statusCode, body } = await request(url);
  if (statusCode !== 200) throw new Error(`${url} answered ${statusCode}: ${await body.text()}`);
  return decodeSamples(new Uint8Array(await body.arrayBuffer()));
}
