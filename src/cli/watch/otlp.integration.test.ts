import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterAll, describe, expect, it } from 'vitest';
import { latencyFlags } from '../../../test/latency.js';
import { named } from '../../../test/refusal.js';
import { place } from '../../../test/runs/watch.js';
import { keptResult } from '../../../test/workplace.js';

interface Attribute {
  key: string;
  value: { stringValue?: string; intValue?: number };
}
interface Point {
  attributes: Attribute[];
  count?: number;
  scale?: number;
  asDouble?: number;
}
interface Metric {
  name: string;
  unit?: string;
  gauge?: { dataPoints: Point[] };
  exponentialHistogram?: { aggregationTemporality: number; dataPoints: Point[] };
}
type Body = { resourceMetrics: { scopeMetrics: { metrics: Metric[] }[] }[] };

/** Keeps what is sent to it. From the second request on, it answers with `status`. */
async function collector(status = 200) {
  const metrics: Metric[] = [];
  let requests = 0;
  const server = createServer(async (request, response) => {
    const body = (await json(request)) as Body;
    metrics.push(...body.resourceMetrics.flatMap((each) => each.scopeMetrics.flatMap((scope) => scope.metrics)));
    response.writeHead(requests++ === 0 ? 200 : status, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterAll(() => void server.close());
  return { metrics, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const attributeOf = ({ attributes }: Point, name: string): string | number | undefined => {
  const { value } = attributes.find(({ key }) => key === name) ?? {};
  return value?.stringValue ?? value?.intValue;
};

const pointsOf = ({ gauge, exponentialHistogram }: Metric): Point[] =>
  (gauge ?? exponentialHistogram)?.dataPoints ?? [];

const words = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].flatMap(([, list = '']) => list.split(/[ ,]+/));

/** Each query of the dashboard: its metric, and the labels that it filters, groups and names lines by. */
function dashboardQueries(): { metric: string; labels: string[] }[] {
  const { panels, templating } = JSON.parse(readFileSync('deploy/grafana/ringside.json', 'utf8')) as {
    panels: { targets?: { expr: string; legendFormat?: string }[] }[];
    templating: { list: { query: string }[] };
  };
  const ofPanels = panels.flatMap(({ targets = [] }) =>
    targets.map(({ expr, legendFormat = '' }) => ({
      metric: /ringside_\w+/.exec(expr)?.[0] ?? expr,
      labels: [...words(expr, /by \(([^)]*)\)/g), ...words(expr, /[{,](\w+)=/g), ...words(legendFormat, /{{(\w+)}}/g)],
    })),
  );
  const ofVariables = templating.list.flatMap(({ query }) => {
    const [, metric, label] = /^label_values\((\w+), (\w+)\)$/.exec(query) ?? [];
    return metric === undefined || label === undefined ? [] : [{ metric, labels: [label] }];
  });
  return [...ofPanels, ...ofVariables];
}

/** Returns the labels of all points of a metric, by the name that Prometheus gives it. */
function labelsInPrometheus(metrics: readonly Metric[]): Map<string, Set<string>> {
  const labels = new Map<string, Set<string>>();
  for (const metric of metrics) {
    const name = `${metric.name.replaceAll('.', '_')}${metric.unit === 's' ? '_seconds' : ''}`;
    const keys = pointsOf(metric).flatMap(({ attributes }) => attributes.map(({ key }) => key.replaceAll('.', '_')));
    labels.set(name, new Set([...(labels.get(name) ?? []), ...keys]));
  }
  return labels;
}

describe('run --otlp', () => {
  it('sends each sample once in histograms by shard, then the ledger, and all that the dashboard asks for', () =>
    place.fleet.lend(2, async (env) => {
      const { metrics, url } = await collector();
      const flags = ['--target', 'ws', ...latencyFlags(211, 67), '--otlp', url];
      const ended = await place.run(['run', 'latency', ...flags], { ...env });
      const result = keptResult(ended);
      const histograms = metrics.filter(({ name }) => name === 'ringside.delivery');
      const points = histograms.flatMap((metric) => metric.exponentialHistogram?.dataPoints ?? []);
      expect(new Set(points.map((each) => attributeOf(each, 'shard')))).toEqual(new Set([0, 1]));
      expect(new Set(points.map((each) => attributeOf(each, 'run.id')))).toEqual(new Set([result.job.runId]));
      expect(new Set(histograms.map((each) => each.exponentialHistogram?.aggregationTemporality))).toEqual(
        new Set([1]),
      );
      expect(points.reduce((sum, { count = 0 }) => sum + count, 0)).toBe(result.metrics.delivery?.count);
      const ledger = metrics.find(({ name }) => name === 'ringside_ledger')?.gauge?.dataPoints ?? [];
      const delivered = ledger.find((each) => attributeOf(each, 'entry') === 'delivered');
      expect(delivered && { value: delivered.asDouble, verdict: attributeOf(delivered, 'verdict') }).toEqual({
        value: result.ledger.delivered,
        verdict: result.verdict.rig,
      });
      const labels = labelsInPrometheus(metrics);
      const queries = dashboardQueries();
      expect(queries.length).toBeGreaterThan(7);
      for (const { metric, labels: asked } of queries)
        expect([...(labels.get(metric) ?? [])], metric).toEqual(expect.arrayContaining(asked));
    }));

  it('goes on without a collector that fails later, and says so', async () => {
    const { url } = await collector(400);
    const ended = await place.run(['run', 'latency', '--target', 'ws', ...latencyFlags(3, 7), '--otlp', url]);
    expect(keptResult(ended).stop.code).toBe('completed');
    expect(ended.stderr).toContain('--otlp');
  });

  it('is refused before the load if nothing takes its metrics', async () => {
    const flags = ['--target', 'ws', ...latencyFlags(3, 7), '--otlp', 'http://127.0.0.1:1'];
    expect(await place.refused(['run', 'latency', ...flags])).toEqual([named('badOption', '--otlp')]);
  });
});
