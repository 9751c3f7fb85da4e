import { type EngineUse, enginesTogether } from '../../contract/engine.js';
import type { Declaration } from '../../measure/declaration.js';
import { metricSpecs } from '../../measure/metric-names.js';
import { carryingOf, percentiles, samplesFor, spelled } from '../../measure/samples/distribution.js';
import type { RunResult } from '../../results/result.js';
import { countText, plural, shareOf } from '../../units/text.js';

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

/** Describes a second driver's attachment to a run, and what its result lacks. Empty with one driver. */
export function attachedInWords({
  attached,
  loadAtMs,
}: Pick<RunResult['environment'], 'attached' | 'loadAtMs'>): string[] {
  if (!attached) return [];
  const { atMs, from, by, silentMs, lacks } = attached;
  const how = silentMs === 0 ? `${from} left it` : `${from} was silent for ${seconds(silentMs)}`;
  return [
    `${by} attached ${seconds(atMs - loadAtMs)} into the run, when ${how}`,
    ...(lacks.length > 0 ? [`nobody kept ${lacks.join(', nor ')}`] : []),
  ];
}

/** Returns the notes above the numbers of a run. Empty without a run. */
export function notesOf(
  run: Pick<RunResult, 'job' | 'target' | 'isPairedInOrder'> | undefined,
  scenario: Declaration,
): readonly string[] {
  if (run === undefined) return [];
  const notes = scenario.notes?.(run.job.options, run.target.protocol) ?? [];
  return run.isPairedInOrder ? [...notes, inOrder] : notes;
}

const inOrder =
  'answers tell nothing of their sends: each counts for the oldest send of its client, and a lost one moves the next';

/** Formats the messages of clients in lines: one of each cause, then the messages that match no rule. */
export function talkLines({ talk }: Pick<RunResult, 'talk'>): string[] {
  if (talk === undefined) return [];
  const examples = Object.entries(talk.examples).map(([cause, { step, sent, received }]) =>
    [
      `${cause}: ${step}`,
      `first sent ${sent === undefined ? 'nothing' : `\`${sent}\``}`,
      `first received ${received === undefined ? 'nothing' : `\`${received}\``}`,
    ].join('; '),
  );
  if (talk.others === 0) return examples;
  const others =
    talk.others === 1 ? '1 other message came' : `${countText(talk.others)} other messages came, the first`;
  return [...examples, `${others}: \`${talk.firstOther ?? ''}\``];
}

type Metrics = RunResult['metrics'];

/** Explains missing percentiles, with the number of independent samples that they need. Empty without. */
export function tooFewInWords(
  metrics: Metrics,
  scenario: Pick<Declaration, 'metrics'>,
  figures: readonly string[] = Object.keys(percentiles),
): string {
  const declared = metricSpecs(scenario, Object.keys(metrics));
  const measured = Object.keys(declared).flatMap((name) => {
    const metric = metrics[name];
    return metric && metric.count > 0
      ? [{ carrying: carryingOf(metric), events: declared[name]?.independent?.name }]
      : [];
  });
  const missing = Object.entries(percentiles).filter(
    ([name, p]) => figures.includes(name) && measured.some(({ carrying }) => carrying < samplesFor(p)),
  );
  if (missing.length === 0) return '';
  const needed = missing.map(([name, p]) => `${spelled(name)} needs ${countText(samplesFor(p))}`).join(', ');
  const once = new Map(measured.flatMap(({ events, carrying }) => (events ? [[events, carrying]] : [])));
  const told = [...once].map(
    ([events, carrying]) => `; all of one ${events} count once, which makes ${countText(carrying)}`,
  );
  return `–: too few independent samples: ${needed}${told.join('')}`;
}

export function independentCount(metric: Metrics[string]): number {
  return Math.min(metric.count, carryingOf(metric));
}

type Parts = Pick<RunResult, 'shards'>;

/** Names the engines of wire clients, and the reason why one is not the native one. Empty if a result names none. */
export function enginesInWords({ shards }: Parts): string {
  const uses = enginesTogether(shards.flatMap(({ result }) => result?.rig.engines ?? []));
  const inWords = ({ name, why, openssl }: EngineUse): string => {
    const remarks = [...(why === undefined ? [] : [why]), ...(openssl === undefined ? [] : [`OpenSSL ${openssl}`])];
    return `${name} engine${remarks.length > 0 ? ` (${remarks.join(', ')})` : ''}`;
  };
  return uses.map(inWords).join(' and ');
}

/** States the way of clients to the target: TLS handshakes, the proxy, and what was offered and chosen. */
export function wayInWords(result: Parts & Pick<RunResult, 'target' | 'job'>): string[] {
  const { proxy, targetCert, tlsResume, clientsPerHttp2 } = result.job.load;
  const uses = enginesTogether(result.shards.flatMap((shard) => shard.result?.rig.engines ?? []));
  const kinds = uses.flatMap(({ handshakes = {} }) => Object.entries(handshakes));
  const made = (isResumed: boolean): number =>
    kinds.reduce((sum, [kind, count]) => sum + (kind.endsWith(' resumed') === isResumed ? count : 0), 0);
  const offered = tlsResume === 'shared' || tlsResume === 'own' ? ` of ${tlsResume} sessions` : '';
  return [
    compressionInWords(result),
    ...(kinds.length > 0
      ? [`${plural(made(false), 'full TLS handshake')}, ${countText(made(true))} resumed${offered}`]
      : []),
    ...(targetCert === undefined ? [] : ['clients with certificates']),
    ...(proxy === undefined ? [] : [`through the proxy ${proxy}`]),
    ...(typeof clientsPerHttp2 === 'number' ? [`HTTP/2, ${plural(clientsPerHttp2, 'client')} on each connection`] : []),
  ];
}

function compressionInWords({ shards, target, job }: Parts & Pick<RunResult, 'target' | 'job'>): string {
  if (target.client === 'library') return 'compression as the library offers it';
  const offer = job.load.compression ?? 'off';
  if (offer === 'off') return 'compression not offered';
  const uses = enginesTogether(shards.flatMap(({ result }) => result?.rig.engines ?? []));
  const sum = (name: 'compressedClients' | 'deflatedBytes' | 'inflatedBytes'): number =>
    uses.reduce((total, use) => total + (use[name] ?? 0), 0);
  const chosen = uses.find((use) => use.chosen !== undefined)?.chosen;
  if (chosen === undefined) return 'compression offered, not chosen';
  const parameters = chosen === '' ? '' : ` (${chosen})`;
  const [deflated, whole] = [sum('deflatedBytes'), sum('inflatedBytes')];
  const saved = whole > 0 ? `, messages at ${shareOf(deflated, whole)} of their size` : '';
  return `compression chosen on ${plural(sum('compressedClients'), 'connection')}${parameters}${saved}`;
}

export function engineLines({ shards }: Parts): string[] {
  return shards.flatMap(({ result }) =>
    (result?.rig.engines ?? []).map((use) => `shard ${result?.slice.index} ${use.name} engine: ${countsInWords(use)}`),
  );
}

function countsInWords({
  reads,
  exact,
  bracketed,
  unstamped,
  handshakes = {},
  clockSteps,
  loops,
  cpuNs,
  coreWaitNs,
}: EngineUse): string {
  const stamps = `${countText(exact)} exact, ${countText(bracketed)} bracketed, ${countText(unstamped)} unstamped`;
  const steps = clockSteps > 0 ? [plural(clockSteps, 'clock step')] : [];
  const seconds = (ns: number): string => `${(ns / 1e9).toFixed(2)} s`;
  const cpu = `${seconds(cpuNs)} of CPU in ${plural(loops, 'thread')}, which waited ${seconds(coreWaitNs)} for a core`;
  const ofTls = Object.entries(handshakes).map(([kind, count]) => `${countText(count)} × ${kind}`);
  return [`${countText(reads)} reads`, stamps, ...ofTls, ...steps, ...(loops > 0 ? [cpu] : [])].join(', ');
}
