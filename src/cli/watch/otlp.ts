import { type Attributes, type HrTime, ValueType } from '@opentelemetry/api';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  type DataPoint,
  DataPointType,
  type ExponentialHistogram,
  type MetricData,
} from '@opentelemetry/sdk-metrics';
import type { OtlpPlan } from '../../commands/command.js';
import { ProblemError, problem } from '../../contract/problems.js';
import { binsPerBlock, nearEdge } from '../../measure/samples/blocks.js';
import { registryOf } from '../../render/exports.js';
import type { ProgressView, RunSecond } from '../../results/progress.js';
import { type GaugeName, gaugeNames, gaugeTable } from '../../results/progress.js';
import type { RunResult } from '../../results/result.js';

const scope = { name: 'ringside' };
/** Buckets per octave are 2 to this power: the finest that Prometheus keeps. */
const scale = 8;
const usPerSecond = 1e6;

/** Middle of each live bin in seconds. The first bin holds what is below a microsecond. */
const middles = Float64Array.from({ length: binsPerBlock }, (_, bin) =>
  bin === 0 ? 0 : Math.sqrt(nearEdge(bin) * nearEdge(bin + 1)) / usPerSecond,
);

/** Bucket k holds values above `base ** k`, up to `base ** (k + 1)`, where base is 2 ** (2 ** -scale). */
function bucketOf(seconds: number): number {
  return Math.ceil(Math.log2(seconds) * 2 ** scale) - 1;
}

/** Returns an exponential histogram in seconds of live bins, given as a flat list of bin and count. */
export function exponentialHistogram(pairs: readonly number[]): ExponentialHistogram {
  let [sum, count, zeroCount] = [0, 0, 0];
  const buckets = new Map<number, number>();
  for (let at = 0; at < pairs.length; at += 2) {
    const [seconds, times] = [middles[pairs[at]!]!, pairs[at + 1]!];
    count += times;
    sum += seconds * times;
    if (seconds === 0) zeroCount += times;
    else buckets.set(bucketOf(seconds), (buckets.get(bucketOf(seconds)) ?? 0) + times);
  }
  const offset = buckets.size === 0 ? 0 : Math.min(...buckets.keys());
  const length = buckets.size === 0 ? 0 : Math.max(...buckets.keys()) - offset + 1;
  const bucketCounts = Array.from({ length }, (_, n) => buckets.get(offset + n) ?? 0);
  return {
    sum,
    count,
    scale,
    zeroCount,
    positive: { offset, bucketCounts },
    negative: { offset: 0, bucketCounts: [] },
  };
}

/** Sends a run to an OpenTelemetry collector while it goes on, and its result at the end. */
export class OtlpOutput {
  readonly #plan: OtlpPlan;
  readonly #exporter: OTLPMetricExporter;
  readonly #note: (line: string) => void;
  readonly #pending = new Set<Promise<void>>();
  readonly #attributes: Attributes;
  #failures = 0;

  private constructor(plan: OtlpPlan, note: (line: string) => void) {
    this.#plan = plan;
    this.#note = note;
    this.#attributes = { 'run.id': plan.runId, scenario: plan.scenario, target: plan.target };
    const url = `${plan.url.replace(/\/+$/, '')}/v1/metrics`;
    this.#exporter = new OTLPMetricExporter({ url, timeoutMillis: 5000 });
  }

  /** Opens the output by a first metric. Throws `ProblemError` if the collector does not take it. */
  static async open(plan: OtlpPlan, note: (line: string) => void): Promise<OtlpOutput> {
    const output = new OtlpOutput(plan, note);
    const first = gaugeData('ringside.run', 'runs that began', [point(now(), 1, output.#attributes)]);
    await output.#export([first]).catch(async (error: unknown) => {
      await output.#exporter.shutdown();
      const why = error instanceof Error ? error.message : String(error);
      throw new ProblemError([problem('badOption', `--otlp: ${plan.url} took no metrics: ${why}`)]);
    });
    return output;
  }

  show({ seconds, figures }: ProgressView): void {
    const last = seconds.at(-1);
    if (last === undefined) return;
    const endsMs = Date.now();
    const rows = seconds.map((second) => ({ second, atMs: endsMs - (last.atMs - second.atMs) }));
    const counts = Object.entries(figures).map(([count, value]) =>
      point(hrTime(endsMs), value, { ...this.#attributes, count }),
    );
    this.#send([
      ...this.#histograms(rows),
      ...gaugeNames.flatMap((name) => this.#gauges(name, rows)),
      gaugeData('ringside.progress', 'counts of the run so far, all shards together', counts),
    ]);
  }

  #histograms(rows: readonly { second: RunSecond; atMs: number }[]): MetricData[] {
    const { metric } = this.#plan;
    const dataPoints = rows.flatMap(({ second, atMs }) =>
      second.bins.flatMap((pairs, shard) =>
        pairs.length === 0
          ? []
          : [
              {
                ...point(hrTime(atMs), exponentialHistogram(pairs), this.#ofShard(shard)),
                startTime: hrTime(atMs - 1000),
              },
            ],
      ),
    );
    if (metric === undefined || dataPoints.length === 0) return [];
    const descriptor = { name: `ringside.${metric}`, description: metric, unit: 's', valueType: ValueType.DOUBLE };
    const dataPointType = DataPointType.EXPONENTIAL_HISTOGRAM;
    return [{ descriptor, aggregationTemporality: AggregationTemporality.DELTA, dataPointType, dataPoints }];
  }

  #gauges(name: GaugeName, rows: readonly { second: RunSecond; atMs: number }[]): MetricData[] {
    const points = rows.flatMap(({ second, atMs }) =>
      second.shards.flatMap((gauges, shard) => {
        const value = gauges?.[name];
        return value === undefined ? [] : [point(hrTime(atMs), value, this.#ofShard(shard))];
      }),
    );
    return points.length === 0 ? [] : [gaugeData(`ringside.shard.${name}`, gaugeTable[name].means, points)];
  }

  #ofShard(shard: number): Attributes {
    return { ...this.#attributes, shard };
  }

  /** Sends every figure of the result with the verdict, under the names of the Prometheus export. Waits for all. */
  async end(result: RunResult | undefined): Promise<void> {
    const metrics = result === undefined ? [] : await registryOf(result).getMetricsAsJSON();
    const verdict = result?.verdict.rig;
    const time = now();
    const figures = metrics.map(({ name, help, values }) =>
      gaugeData(
        name,
        help,
        values.map(({ labels, value }) => point(time, value, { verdict, ...labels, ...this.#attributes })),
      ),
    );
    if (figures.length > 0) this.#send(figures);
    await Promise.all(this.#pending);
    await this.#exporter.shutdown();
    if (this.#failures > 0) this.#note(`--otlp: ${this.#failures} seconds or figures did not reach ${this.#plan.url}`);
  }

  #send(metrics: MetricData[]): void {
    const sent = this.#export(metrics)
      .catch((error: unknown) => {
        if (this.#failures++ === 0)
          this.#note(`--otlp: ${error instanceof Error ? error.message : String(error)}; the run goes on`);
      })
      .finally(() => this.#pending.delete(sent));
    this.#pending.add(sent);
  }

  #export(metrics: MetricData[]): Promise<void> {
    const resource = resourceFromAttributes({ 'service.name': 'ringside' });
    return new Promise((resolve, reject) => {
      this.#exporter.export({ resource, scopeMetrics: [{ scope, metrics }] }, ({ error, code }) => {
        if (code === 0) resolve();
        else reject(error ?? new Error('the collector refused the metrics'));
      });
    });
  }
}

function now(): HrTime {
  return hrTime(Date.now());
}

function hrTime(ms: number): HrTime {
  return [Math.floor(ms / 1000), Math.round((ms % 1000) * 1e6)];
}

function point<T>(time: HrTime, value: T, attributes: Attributes): DataPoint<T> {
  return { startTime: time, endTime: time, attributes, value };
}

function gaugeData(name: string, description: string, dataPoints: DataPoint<number>[]): MetricData {
  return {
    descriptor: { name, description, unit: '', valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
    dataPointType: DataPointType.GAUGE,
    dataPoints,
  };
}
