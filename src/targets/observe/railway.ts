import { z } from 'zod';
import type { MetricName } from '../../measure/series.js';
import { outsideText } from '../../units/text.js';
import { ask } from '../launch/stats.js';
import type { ObservationSource, Reading } from './source.js';

/** A service of Railway and the token to read it. */
export interface RailwayAccess {
  token: string;
  /** A project token has its own header. Account and workspace tokens are bearer tokens. */
  tokenKind: 'account' | 'project';
  environmentId: string;
  serviceId: string;
  url?: string | undefined;
}

const publicApi = 'https://backboard.railway.com/graphql/v2';
const answerWithinMs = 10_000;
/** A free plan has 100 requests an hour. */
const askEveryMs = 40_000;
const sampleRateSeconds = 30;

const query = `query Metrics(
  $environmentId: String!, $serviceId: String!, $startDate: DateTime!,
  $measurements: [MetricMeasurement!]!, $sampleRateSeconds: Int!
) {
  metrics(
    environmentId: $environmentId, serviceId: $serviceId, startDate: $startDate,
    measurements: $measurements, sampleRateSeconds: $sampleRateSeconds
  ) {
    measurement
    values { ts value }
  }
}`;

/** Railway counts CPU in cores and memory in gigabytes, all replicas together. */
const measured: Readonly<Record<string, { name: MetricName; times: number }>> = {
  CPU_USAGE: { name: 'cpuPercent', times: 100 },
  MEMORY_USAGE_GB: { name: 'serviceMemoryBytes', times: 1e9 },
};

const answerSchema = z.object({
  data: z
    .object({
      metrics: z.array(
        z.object({
          measurement: z.string(),
          /** `ts` in seconds since the epoch. */
          values: z.array(z.object({ ts: z.number(), value: z.number() })),
        }),
      ),
    })
    .nullish(),
  errors: z.array(z.object({ message: z.string() })).optional(),
});

/** Reads a service's averages over half a minute from Railway's metrics API: late, and with Railway's wall clock. */
export function railwaySource(access: RailwayAccess): ObservationSource {
  const seenMs = new Map<MetricName, number>();
  return {
    source: 'railway',
    reads: Object.values(measured).map(({ name }) => name),
    everyMs: askEveryMs,
    clock: 'foreign',
    isRetrospective: true,
    async read({ startedAtEpochMs }, signal) {
      const values = await fetchMetrics(access, startedAtEpochMs, signal);
      // Each answer goes back to the start.
      const fresh = values
        .map((reading) => ({ ...reading, atMs: reading.atMs - startedAtEpochMs }))
        .filter(({ name, atMs }) => atMs >= 0 && atMs > (seenMs.get(name) ?? -1))
        .sort((a, b) => a.atMs - b.atMs);
      for (const { name, atMs } of fresh) seenMs.set(name, atMs);
      return { endings: [], values: fresh };
    },
  };
}

/** Returns all values since an instant. `atMs` is since the epoch. No error names the token. */
async function fetchMetrics(
  { token, tokenKind, environmentId, serviceId, url = publicApi }: RailwayAccess,
  sinceEpochMs: number,
  signal: AbortSignal,
): Promise<(Reading & { atMs: number })[]> {
  const variables = {
    environmentId,
    serviceId,
    startDate: new Date(sinceEpochMs).toISOString(),
    measurements: Object.keys(measured),
    sampleRateSeconds,
  };
  const { statusCode, text } = await ask(url, {
    withinMs: answerWithinMs,
    signal,
    headers: {
      'content-type': 'application/json',
      ...(tokenKind === 'project' ? { 'project-access-token': token } : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ query, variables }),
  });
  if (statusCode !== 200) throw new Error(`${url} answered ${statusCode}: ${outsideText(text)}`);
  const { data, errors } = answerSchema.parse(JSON.parse(text));
  if (errors?.[0] !== undefined || data == null)
    throw new Error(`${url} refused: ${outsideText(errors?.map(({ message }) => message).join('; ') || 'no data')}`);
  return data.metrics.flatMap(({ measurement, values }) => {
    const meant = measured[measurement];
    if (meant === undefined) return [];
    return values.map(({ ts, value }) => ({ name: meant.name, value: value * meant.times, atMs: ts * 1000 }));
  });
}
