import { median } from 'simple-statistics';
import { request } from 'undici';
import { summarize } from '../../measure/samples/distribution.js';
import { decodeCounts, decodeSamples } from '../../measure/samples/encoding.js';
import type { Samples } from '../../measure/samples/samples.js';
import { achievedShareAllowed } from '../../measure/verdict/run-rules.js';
import type { CalibrationPoint } from '../../results/experiment.js';
import type { RigLoad, RunResult } from '../../results/result.js';
import { type MetronomeRecord, metronomeRecord, recordPaths } from '../../targets/metronome/record.js';
import { outsideText } from '../../units/text.js';

/** Returns the load that happened. It is less than was offered where the metronome fell behind. */
export function loadDone(
  load: RigLoad,
  { donePerSecond }: Pick<MetronomeTruth, 'donePerSecond'>,
): Pick<CalibrationPoint, 'load' | 'offeredPerSecond'> {
  const { ratePerSecond } = load;
  if (donePerSecond === null || donePerSecond >= ratePerSecond * achievedShareAllowed) return { load };
  return { load: { ...load, ratePerSecond: Number(donePerSecond.toPrecision(3)) }, offeredPerSecond: ratePerSecond };
}

/** Returns the size of an error; infinite if it is unknown. */
export function errorSize(error: number | null): number {
  return error === null ? Number.POSITIVE_INFINITY : Math.abs(error);
}

/** Compares the rig's figures and counts with those of the metronome. Without a p99, a point is not trusted. */
export function heldAgainst(
  { totals, asked, done }: Pick<MetronomeTruth, 'totals' | 'asked' | 'done'>,
  { metrics, ledger, verdict }: Pick<RunResult, 'ledger' | 'verdict'> & { metrics: Record<string, Figures> },
  boundUs: number,
): Omit<CalibrationPoint, 'load' | 'offeredPerSecond' | 'target' | 'directory'> {
  const measured = figuresOf(metrics.delivery);
  const truth = figuresOf(summarize(done));
  const off = (figure: keyof Figures): number | null =>
    measured[figure] === null || truth[figure] === null ? null : measured[figure] - truth[figure];
  const error = { p50: off('p50'), p99: off('p99'), max: off('max') };
  const counted = (name: string): number => (ledger[name] as number | undefined) ?? 0;
  const counts = {
    broadcasts: { done: totals.broadcasts, measured: counted('acked') },
    delivered: { done: totals.delivered, measured: counted('delivered') },
    lost: { done: totals.dropped, measured: counted('lost') },
    duplicate: { done: totals.duplicated, measured: counted('duplicate') },
  };
  const areCountsExact = totals.isWhole && Object.values(counts).every((each) => each.done === each.measured);
  const isTrusted = areCountsExact && errorSize(error.p99) <= boundUs;
  const figures = { asked: figuresOf(summarize(asked)), done: truth, measured, error };
  return { ...figures, counts, areCountsExact, isTrusted, rig: verdict.rig };
}

type Figures = Record<'p50' | 'p99' | 'max', number | null>;

function figuresOf(summary: Figures | undefined): Figures {
  return { p50: summary?.p50 ?? null, p99: summary?.p99 ?? null, max: summary?.max ?? null };
}

/** Describes the deliveries of one stream as a metronome was asked for them and as it made them. */
export interface MetronomeTruth {
  totals: MetronomeRecord['totals'];
  asked: Samples;
  /** Broadcasts per second that the metronome wrote; null with fewer than two. */
  donePerSecond: number | null;
  /** Latency without the rig: from the rig's stamp of the send to the metronome's of the write, first copies only. */
  done: Samples;
}

/** Fetches a metronome's record from a sequence number on. Throws an Error that names a failed request. */
export async function fetchTruth(
  wsUrl: string,
  stream: string,
  from: number,
  sentAtUs: Uint32Array,
): Promise<MetronomeTruth> {
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

/** Adds the time from the send to the metronome's read to each of its delays. Times are microseconds modulo 2^32. */
export function doneSinceSent(
  broadcasts: readonly { sequence: number; receivedAtNs: number }[],
  writes: Uint32Array,
  sentAtUs: (sequence: number) => number,
): Samples {
  const wayUs = new Map(
    broadcasts.map(({ sequence: each, receivedAtNs }) => [
      each,
      (Math.floor(receivedAtNs / 1000) - sentAtUs(each)) >>> 0,
    ]),
  );
  const values = new Uint32Array(writes.length / 2);
  for (let pair = 0; pair < values.length; pair++)
    values[pair] = (wayUs.get(writes[2 * pair]!) ?? 0) + writes[2 * pair + 1]!;
  return { kind: 'raw', values: values.sort() };
}

/** Returns the broadcasts written per second, from the middle write of the first to that of the last. */
export function rateOf(
  broadcasts: readonly { sequence: number; receivedAtNs: number }[],
  writes: Uint32Array,
): number | null {
  const delaysUs = new Map(broadcasts.map(({ sequence }): [number, number[]] => [sequence, []]));
  for (let at = 0; at < writes.length; at += 2) delaysUs.get(writes[at]!)?.push(writes[at + 1]!);
  const moments = broadcasts
    .flatMap(({ sequence, receivedAtNs }) => {
      const delays = delaysUs.get(sequence)!;
      return delays.length > 0 ? [{ sequence, us: receivedAtNs / 1000 + median(delays) }] : [];
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
