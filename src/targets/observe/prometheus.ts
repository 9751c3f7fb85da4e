import { withoutSecrets } from '../../units/urls.js';
import { ask } from '../launch/answer.js';
import { type MetricSample, parseExposition } from './exposition.js';
import { type MetricName, together } from './series.js';
import type { Ending, ObservationSource, Reading } from './source.js';
import { Growth } from './source.js';

interface Known {
  name: MetricName;
  /** What the value is multiplied by. */
  times: number;
  /** A total: its growth per second counts. */
  isTotal?: true;
}

/** Names of anycable-go, and those of the Prometheus clients for Go and Node. */
const known: Readonly<Record<string, Known>> = {
  anycable_go_clients_num: { name: 'connections', times: 1 },
  anycable_go_goroutines_num: { name: 'goroutines', times: 1 },
  anycable_go_mem_sys_bytes: { name: 'runtimeMemoryBytes', times: 1 },
  go_goroutines: { name: 'goroutines', times: 1 },
  go_memstats_sys_bytes: { name: 'runtimeMemoryBytes', times: 1 },
  go_threads: { name: 'threads', times: 1 },
  process_resident_memory_bytes: { name: 'rssBytes', times: 1 },
  process_cpu_seconds_total: { name: 'cpuPercent', times: 100, isTotal: true },
  process_open_fds: { name: 'descriptors', times: 1 },
  process_max_fds: { name: 'descriptorLimit', times: 1 },
  nodejs_eventloop_lag_p99_seconds: { name: 'eventLoopDelayP99Ms', times: 1000 },
};

const answerWithinMs = 5_000;

/** A page of Prometheus metrics, of which known names are read. */
export function prometheusSource(url: string): ObservationSource {
  const mapping = new PrometheusMapping();
  return {
    source: 'prometheus',
    reads: [...new Set(Object.values(known).map(({ name }) => name))],
    async read({ nowMs }, signal) {
      const samples = parseExposition(await fetchPage(url, signal));
      return mapping.readings(samples, nowMs());
    },
  };
}

/** Turns one page after the other into readings. */
export class PrometheusMapping {
  #growth = new Map<string, Growth>();

  /** Throws if the page has no known name. */
  readings(samples: readonly MetricSample[], atMs: number): { endings: Ending[]; values: Reading[] } {
    const found = valuesByName(samples);
    if (found.size === 0) throw new Error('the page has no known metric');
    const endings: Ending[] = [];
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

/** The known names of a page, values with different labels taken together. */
function valuesByName(samples: readonly MetricSample[]): Map<string, number> {
  const values = new Map<string, number[]>();
  for (const { name, value } of samples) {
    if (Object.hasOwn(known, name)) values.set(name, [...(values.get(name) ?? []), value]);
  }
  return new Map([...values].map(([exposed, each]) => [exposed, together(known[exposed]!.name, each)!]));
}

async function fetchPage(url: string, signal: AbortSignal): Promise<string> {
  const headers = { accept: 'text/plain;version=0.0.4' };
  const { statusCode, text } = await ask(url, { withinMs: answerWithinMs, signal, headers });
  if (statusCode !== 200) throw new Error(`${withoutSecrets(url)} answered ${statusCode}`);
  return text;
}
