import { gaugeTogether, type MetricName } from '../../measure/series.js';
import { withoutSecrets } from '../../units/addresses.js';
import { outsideText } from '../../units/text.js';
import { ask } from '../launch/stats.js';
import { askServer, endingOf, type Query, readingOf, soleValue, together } from './queries.js';
import { Growth, type ObservationSource, type Reading, reasonOf, type SourceEnding } from './source.js';

interface Known {
  name: MetricName;
  times: number;
  /** The value is a total, so its growth per second counts. */
  isTotal?: true;
}

/** Names of the Prometheus client for Node. */
const ofNode: Readonly<Record<string, Known>> = {
  process_resident_memory_bytes: { name: 'rssBytes', times: 1 },
  process_cpu_seconds_total: { name: 'cpuPercent', times: 100, isTotal: true },
  process_open_fds: { name: 'descriptors', times: 1 },
  process_max_fds: { name: 'descriptorLimit', times: 1 },
  nodejs_eventloop_lag_p99_seconds: { name: 'eventLoopDelayP99Ms', times: 1000 },
};

/** Names of anycable-go, of Soketi, and of the Prometheus clients for Go and Node. */
const known: Readonly<Record<string, Known>> = {
  anycable_go_clients_num: { name: 'connections', times: 1 },
  anycable_go_goroutines_num: { name: 'goroutines', times: 1 },
  anycable_go_mem_sys_bytes: { name: 'runtimeMemoryBytes', times: 1 },
  go_goroutines: { name: 'goroutines', times: 1 },
  go_memstats_sys_bytes: { name: 'runtimeMemoryBytes', times: 1 },
  go_threads: { name: 'threads', times: 1 },
  ...ofNode,
  soketi_connected: { name: 'connections', times: 1 },
  ...Object.fromEntries(Object.entries(ofNode).map(([name, each]) => [`soketi_${name}`, each])),
};

const answerWithinMs = 5_000;

/**
 * Returns a source that reads the known names of a page of Prometheus metrics, and queries from it. Where a Prometheus
 * server answers, it reads the queries only.
 */
export function prometheusSource(url: string, queries: readonly Query[] = []): ObservationSource {
  const mapping = new PrometheusMapping();
  let isServer = queries.length > 0;
  return {
    source: 'prometheus',
    reads: [...new Set(Object.values(known).map(({ name }) => name))],
    async read({ nowMs }, signal) {
      const told = isServer ? await askServer(url, queries, signal) : undefined;
      isServer = told !== undefined;
      if (told) return told;
      try {
        const samples = parseExposition(await fetchPage(url, signal));
        const own = queries.map((query) => readingOf(query, () => valueOnPage(query, samples)));
        const isKnown = queries.length === 0 || valuesByName(samples).size > 0;
        return together([...(isKnown ? [mapping.readings(samples, nowMs())] : []), ...own]);
      } catch (error) {
        if (queries.length === 0 || signal.aborted) throw error;
        const because = reasonOf(error);
        return together([{ endings: [{ because }], values: [] }, ...queries.map((query) => endingOf(query, because))]);
      }
    },
  };
}

/** Turns one page after the other into readings. */
export class PrometheusMapping {
  #growth = new Map<string, Growth>();

  readings(samples: readonly MetricSample[], atMs: number): { endings: SourceEnding[]; values: Reading[] } {
    const found = valuesByName(samples);
    if (found.size === 0) throw new Error('the page has no known metric');
    const endings: SourceEnding[] = [];
    if ([...found].some(([exposed, value]) => this.#growth.get(exposed)?.isFall(value))) {
      endings.push({ because: 'the process restarted: a total of it fell' });
      this.#growth = new Map();
    }
    // anycable-go shows 0 for its gauges until their first refresh, and no Go program has 0 goroutines.
    const isWarm = found.get('anycable_go_goroutines_num') !== 0;
    const values: Reading[] = [];
    for (const [exposed, value] of found) {
      const { name, times, isTotal } = known[exposed]!;
      const current = isTotal ? this.#perSecond(exposed, value, atMs) : value;
      // NaN means no value.
      const isValue = Number.isFinite(current) && (isWarm || !exposed.startsWith('anycable_go_'));
      if (isValue && !values.some((reading) => reading.name === name)) values.push({ name, value: current! * times });
    }
    return { endings, values };
  }

  #perSecond(exposed: string, total: number, atMs: number): number | undefined {
    const growth = this.#growth.get(exposed) ?? new Growth();
    this.#growth.set(exposed, growth);
    return growth.perSecond(total, atMs);
  }
}

function valuesByName(samples: readonly MetricSample[]): Map<string, number> {
  const values = new Map<string, number[]>();
  for (const { name, value } of samples) {
    if (Object.hasOwn(known, name)) values.set(name, [...(values.get(name) ?? []), value]);
  }
  return new Map([...values].map(([exposed, each]) => [exposed, gaugeTogether(known[exposed]!.name, each)!]));
}

async function fetchPage(url: string, signal: AbortSignal): Promise<string> {
  const headers = { accept: 'text/plain;version=0.0.4' };
  const { statusCode, text } = await ask(url, { withinMs: answerWithinMs, signal, headers });
  if (statusCode !== 200) throw new Error(`${withoutSecrets(url)} answered ${statusCode}`);
  return text;
}

export interface MetricSample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

const label = String.raw`([a-zA-Z_][a-zA-Z0-9_]*)[ \t]*=[ \t]*"((?:[^"\\]|\\[\\"n])*)"[ \t]*`;
const labelPattern = new RegExp(label, 'g');
const name = '([a-zA-Z_:][a-zA-Z0-9_:]*)(?![a-zA-Z0-9_:])';
const labels = String.raw`\{[ \t]*((?:${label}(?:,[ \t]*|(?=\})))*)\}`;
const value = String.raw`(NaN|[+-]?Inf|[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)`;
// A timestamp behind the value is of the target's clock, and ignored.
const linePattern = new RegExp(String.raw`^${name}[ \t]*(?:${labels}[ \t]*)?${value}(?:[ \t]+-?\d+)?$`);

/** Reads the text exposition format 0.0.4. Throws for a wrong line, and for a last one that may be cut. */
export function parseExposition(text: string): MetricSample[] {
  const lines = text.split('\n');
  if (lines.pop() !== '') throw new Error('the page of metrics breaks off in the middle of a line');
  return lines.flatMap((line, index) => {
    const trimmed = line.trim();
    return trimmed === '' || trimmed.startsWith('#') ? [] : sampleOf(trimmed, index + 1);
  });
}

function sampleOf(line: string, number: number): MetricSample {
  const parts = linePattern.exec(line);
  if (parts === null) throw new Error(`line ${number} of the metrics can't be read: ${outsideText(line)}`);
  const [, name = '', pairs = ''] = parts;
  const labels: Record<string, string> = Object.create(null);
  for (const [, key = '', value = ''] of pairs.matchAll(labelPattern))
    labels[key] = value.replaceAll(/\\(.)/g, (_, escaped: string) => (escaped === 'n' ? '\n' : escaped));
  return { name, labels, value: Number(parts.at(-1)?.replace('Inf', 'Infinity')) };
}

/** Returns the value of a query of the form `name{label="value"}` on a page. Throws unless there is exactly one. */
function valueOnPage({ query }: Query, samples: readonly MetricSample[]): number {
  let asked: MetricSample | undefined;
  try {
    [asked] = parseExposition(`${query} 0\n`);
  } catch {
    throw new Error('on a page of metrics a query is name{label="value"}; PromQL needs the URL of a Prometheus server');
  }
  const { name, labels } = asked as MetricSample;
  const found = samples.filter(
    (each) => each.name === name && Object.entries(labels).every(([key, text]) => each.labels[key] === text),
  );
  return soleValue(found.map((each) => each.value));
}
