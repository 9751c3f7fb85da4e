import { tcpEntries, tcpNames } from '../../../measure/tcp.js';
import { loadedLoops } from '../../words/loops.js';
import { optionsInWords } from '../../words/options-in-words.js';
import { dataTable } from '../charts/figure.js';
import { html, type Markup } from '../markup.js';
import type { Report, ReportRun } from '../runs.js';

const inWords = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? 'none'));

function pairs(caption: string, record: Readonly<Record<string, unknown>>): Markup | string {
  const rows = Object.entries(record).map(([name, value]) => [name, inWords(value)]);
  return rows.length > 0 ? dataTable(caption, ['', 'value'], rows) : '';
}

/** Everything that is needed to run it again. */
export function jobSection({ runs, scenario }: Report): Markup {
  return html`${runs.map(
    (
      run,
    ) => html`<section aria-label="${`Job and machines of ${run.label}`}">${runs.length > 1 ? html`<h3>${run.label}</h3>` : ''}
<p>${optionsInWords(scenario, run.result.job.options)} · ${run.result.target.client} clients · ${run.result.job.shards} ${run.result.job.shards === 1 ? 'shard' : 'shards'}</p>
<p>Kept in <code>${run.directory}</code>, started ${run.result.startedAt}, fingerprint <code>${run.result.fingerprint}</code>, made by ${run.result.tool.name} ${run.result.tool.version}.</p>
${details(run)}</section>
`,
  )}`;
}

function details({ label, result }: ReportRun): Markup {
  const { job, sources, target, environment, shape, shards } = result;
  const { name, protocol, client, wsUrl, publishUrl, isOurs, versions, settings } = target;
  const given = { ...job.options, ...job.load };
  const options = Object.entries(given).map(([key, value]) => [key, inWords(value), sources[key] ?? 'default']);
  const elsewhere = Object.entries(sources).filter(([key]) => !(key in given));
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
  const networks = shards.flatMap(({ url, result: part }) => {
    const { tcp } = part?.rig.shard ?? {};
    return tcp ? tcpNames.map((name) => [url, tcpEntries[name].means, tcp.counts[name]]) : [];
  });
  return html`<details><summary>Job, with where each value came from</summary>
${dataTable(`Options of ${label}`, ['option', 'value', 'came from'], options)}
${
  elsewhere.length > 0
    ? dataTable(
        `What else was given of ${label}`,
        ['option', 'came from'],
        elsewhere.map(([key, source]) => [key, source]),
      )
    : ''
}
${pairs(`Run ${label}`, { seed: job.seed, runId: job.runId, stream: job.stream, shards: job.shards })}</details>
<details><summary>Target, its versions and settings</summary>
${pairs(`Target of ${label}`, { name, protocol, client, wsUrl, publishUrl, startedByRingside: isOurs })}
${pairs(`Versions of ${label}`, versions)}
${pairs(`Set otherwise than the default: ${label}`, settings)}</details>
<details><summary>Machines and event loops of the rig</summary>
${pairs(`Driver of ${label}`, { ...environment.driver, plannedMs: environment.plannedMs, elapsedMs: environment.elapsedMs, offeredPerSecond: environment.offeredPerSecond, achievedPerSecond: environment.achievedPerSecond })}
${dataTable(`Shards of ${label}`, ['shard', 'state', 'CPU', 'cores', 'kernel', 'runtime', 'core speed before and after, steps/µs'], machines)}
${dataTable(`Event loops of ${label}`, ['loop', 'busy, %', 'delay p99, ms', 'delay max, ms', 'longest GC pause, ms', 'run queue wait, ms'], loops)}
${networks.length > 0 ? dataTable(`TCP of ${label} over the measured stages: all sockets of the network namespace of each shard`, ['shard', 'what', 'count'], networks) : ''}</details>
<details><summary>The whole shape: what runs must share to be compared</summary><pre tabindex="0">${JSON.stringify(shape, null, 2)}</pre></details>`;
}
