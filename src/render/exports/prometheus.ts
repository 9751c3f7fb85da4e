import { Gauge, Registry } from 'prom-client';
import { type CountUnit, countUnitOf } from '../../measure/ledger.js';
import { percentiles } from '../../measure/samples/distribution.js';
import { holdsOf, type RunResult, verdict as verdictSchema } from '../../results/result.js';

type Labels = Readonly<Record<string, string>>;

const usPerSecond = 1_000_000;
const quantiles = { min: 0, ...percentiles, max: 1 } as const;

/** Prints a run as Prometheus text, with times in seconds. All metrics are gauges, because a result does not change. */
export async function* prometheus(result: RunResult): AsyncGenerator<string> {
  yield await registryOf(result).metrics();
}

/** Returns every figure of a run as a gauge. */
export function registryOf(result: RunResult): Registry {
  const registry = new Registry();
  const { scenario, target, fingerprint } = result;
  const write = writerTo(registry, { scenario, target: target.name, fingerprint });
  about(result, write);
  distributions(result, write);
  books(result, write);
  return registry;
}

type Write = (name: string, help: string, values: readonly (readonly [labels: Labels, value: number | null])[]) => void;

function writerTo(registry: Registry, common: Labels): Write {
  return (name, help, values) => {
    const known = values.filter((each): each is readonly [Labels, number] => each[1] !== null);
    if (known.length === 0) return;
    const labelNames = Object.keys({ ...common, ...known[0]?.[0] });
    const gauge = new Gauge({ name: `ringside_${name}`, help, labelNames, registers: [registry] });
    for (const [labels, value] of known) gauge.set({ ...common, ...labels }, value);
  };
}

function about(
  { tool, job, target, verdict, stop, startedAt, environment, thresholds }: RunResult,
  write: Write,
): void {
  const { protocol, client } = target;
  write('run_info', 'what was run', [[{ run: job.runId, version: tool.version, protocol, client }, 1]]);
  write('run_start_timestamp_seconds', 'when the run started, since 1970', [[{}, Date.parse(startedAt) / 1000]]);
  write('run_elapsed_seconds', 'how long it took', [[{}, environment.elapsedMs / 1000]]);
  write(
    'verdict',
    '1 for the verdict of the run: whether it is the test that was asked for',
    verdictSchema.shape.rig.options.map((rig) => [{ verdict: rig }, verdict.rig === rig ? 1 : 0]),
  );
  write('stop_info', 'what ended the run', [[{ reason: stop.code }, 1]]);
  write(
    'promise_kept',
    'whether a threshold passed: 1, or failed: 0; left out if it is undecided',
    thresholds
      .filter((each) => holdsOf(each) !== 'open')
      .map(({ text, isKept }) => [{ promise: text }, isKept ? 1 : 0]),
  );
}

function distributions({ metrics, environment }: RunResult, write: Write): void {
  const entries = Object.entries(metrics);
  const inSeconds = (us: number | null): number | null => (us === null ? null : us / usPerSecond);
  const names = Object.keys(quantiles) as (keyof typeof quantiles)[];
  write(
    'metric_seconds',
    'percentiles of a distribution by nearest rank; left out if there are too few samples',
    entries.flatMap(([metric, summary]) =>
      names.map((name) => [{ metric, quantile: String(quantiles[name]) }, inSeconds(summary[name])] as const),
    ),
  );
  write(
    'metric_interval_seconds',
    'both ends of the 95 % interval of a percentile, over broadcasts',
    entries.flatMap(([metric, { intervals }]) =>
      names.flatMap((name) =>
        (intervals[name] ?? []).map((us, index) => {
          const end = index === 0 ? 'low' : 'high';
          return [{ metric, quantile: String(quantiles[name]), end }, inSeconds(us)] as const;
        }),
      ),
    ),
  );
  write(
    'metric_mean_seconds',
    'mean of a distribution',
    entries.map(([metric, { mean }]) => [{ metric }, inSeconds(mean)]),
  );
  write(
    'metric_samples',
    'samples of a distribution',
    entries.map(([metric, { count }]) => [{ metric }, count]),
  );
  write('target_bytes_per_connection', 'memory that a connection takes in the target', [
    [{}, environment.footprint?.bytesPerConnection ?? null],
  ]);
}

/** Holds one family for each unit, with times in seconds. */
const families: readonly { name: string; help: string; per: Partial<Record<CountUnit, number>> }[] = [
  { name: 'ledger', help: 'counts of the ledger', per: { count: 1 } },
  { name: 'ledger_per_second', help: 'rates of the ledger', per: { perSecond: 1 } },
  { name: 'ledger_seconds', help: 'times of the ledger, in seconds', per: { ms: 1000, seconds: 1 } },
];

function books({ ledger }: RunResult, write: Write): void {
  const entries = Object.entries(ledger);
  for (const { name, help, per } of families) {
    const own = entries.flatMap(([entry, value]) => {
      const one = per[countUnitOf(entry)];
      return typeof value === 'number' && one !== undefined ? [[{ entry }, value / one] as const] : [];
    });
    write(name, help, own);
  }
  write(
    'ledger_by_cause',
    'counts of the ledger by cause',
    entries.flatMap(([entry, value]) =>
      typeof value === 'number'
        ? []
        : Object.entries(value).map(([cause, times]) => [{ entry, cause }, times] as const),
    ),
  );
}
