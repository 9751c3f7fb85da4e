import { tcpEntries, tcpNames } from '../../measure/tcp.js';
import { wayInWords } from '../words/notes.js';
import { loadedLoops } from '../words/verdict-words.js';
import { dataTable, html, type Markup } from './markup.js';
import type { Report, ReportRun } from './runs.js';

const inWords = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? 'none'));

function pairs(caption: string, record: Readonly<Record<string, unknown>>): Markup | '' {
  return tableOf(
    caption,
    ['', 'value'],
    Object.entries(record).map(([name, value]) => [name, inWords(value)]),
  );
}

function tableOf(caption: string, head: readonly string[], rows: Parameters<typeof dataTable>[2]): Markup | '' {
  return rows.length > 0 ? dataTable(caption, head, rows) : '';
}

export function jobSection({ runs }: Report): Markup {
  return html`${runs.map((run) => {
    const { label, directory, result } = run;
    const { startedAt, fingerprint } = result;
    const tool = `${result.tool.name} ${result.tool.version}`;
    return html`<section aria-label="${`Job and machines of ${label}`}">${runs.length > 1 && html`<h3>${label}</h3>`}
<p>Kept in <code>${directory}</code>, started ${startedAt}, fingerprint <code>${fingerprint}</code>, by ${tool}.</p>
${details(run)}</section>
`;
  })}`;
}

function details({ label, result }: ReportRun): Markup {
  const { job, sources, target, environment, shape, shards } = result;
  const { name, protocol, client, wsUrl, publishUrl, isOurs, versions, settings } = target;
  const given = { ...job.options, ...job.load };
  const options = Object.entries(given).map(([key, value]) => [key, inWords(value), sources[key] ?? 'default']);
  const { seed, runId, stream } = job;
  const run = { seed, runId, stream, shards: job.shards, way: wayInWords(result).join(', ') };
  const others = Object.entries(sources).filter(([key]) => !(key in given));
  const machines = shards.map(({ url, state, why, result: part }) => [
    url,
    why === '' ? state : `${state}: ${why}`,
    part?.machine.cpu ?? '–',
    part?.machine.cores ?? null,
    part?.machine.kernel ?? '–',
    part?.machine.runtime ?? '–',
    part?.rig.shard.coreSpeed.map((speed) => speed.toFixed(0)).join(' and ') ?? '–',
  ]);
  const loops = shards.flatMap(({ result: part }) =>
    (part ? loadedLoops(part) : []).map((worker) => [
      `shard ${part?.slice.index} ${worker.role} ${worker.index}`,
      worker.utilization * 100,
      worker.loopDelayP99Ms,
      worker.loopDelayMaxMs,
      worker.gcMaxMs,
      worker.runQueueWaitMs,
    ]),
  );
  const engines = shards.flatMap(({ url, result: part }) =>
    (part?.rig.engines ?? []).map((use) => [
      url,
      use.name,
      use.why ?? '',
      use.handedOver,
      use.reads,
      use.exact,
      use.bracketed,
      use.unstamped,
      use.clockSteps,
      use.loops,
      use.cpuNs / 1e6,
      use.coreWaitNs / 1e6,
    ]),
  );
  const networks = shards.flatMap(({ url, result: part }) => {
    const { tcp } = part?.rig.shard ?? {};
    return tcp ? tcpNames.map((each) => [url, tcpEntries[each].means, tcp.counts[each]]) : [];
  });
  const { driver, plannedMs, elapsedMs, offeredPerSecond, achievedPerSecond } = environment;
  const shardHead = ['shard', 'state', 'CPU', 'cores', 'kernel', 'runtime', 'core speed before and after, steps/µs'];
  const loopHead = ['loop', 'busy, %', 'delay p99, ms', 'delay max, ms', 'longest GC pause, ms', 'run queue wait, ms'];
  const engineHead = [
    ...['shard', 'engine', 'why', 'deliveries and acknowledgements', 'reads', 'exact', 'bracketed', 'unstamped'],
    ...['clock steps', 'threads', 'CPU of threads, ms', 'their run queue wait, ms'],
  ];
  const tcpCaption = `TCP of ${label} in the measured stages, all sockets of each shard's network namespace`;
  return html`<details><summary>Options and their sources</summary>
${dataTable(`Options of ${label}`, ['option', 'value', 'source'], options)}
${tableOf(`Other options of ${label}`, ['option', 'source'], others)}
${pairs(`Run ${label}`, run)}</details>
<details><summary>Target, versions and settings</summary>
${pairs(`Target of ${label}`, { name, protocol, client, wsUrl, publishUrl, startedByRingside: isOurs })}
${pairs(`Versions of ${label}`, versions)}
${pairs(`Changed from the default: ${label}`, settings)}</details>
<details><summary>Machines and event loops of the load generator</summary>
${pairs(`Driver of ${label}`, { ...driver, plannedMs, elapsedMs, offeredPerSecond, achievedPerSecond })}
${dataTable(`Shards of ${label}`, shardHead, machines)}
${dataTable(`Event loops of ${label}`, loopHead, loops)}
${tableOf(`Wire engines of ${label}`, engineHead, engines)}
${tableOf(tcpCaption, ['shard', 'what', 'count'], networks)}</details>
<details><summary>The whole shape, which comparable runs share</summary>
<pre tabindex="0">${JSON.stringify(shape, null, 2)}</pre></details>`;
}
