import { median } from 'simple-statistics';
import { enginesTogether } from '../contract/engine.js';
import type { Declaration } from '../measure/declaration.js';
import { type Holds, pairOf } from '../measure/statement.js';
import type { Comparison, ComparisonRow } from '../results/comparison.js';
import { readingIn, targetCpuMs } from '../results/over-time/readings.js';
import type { RunResult } from '../results/result.js';
import { countText, shareOf } from '../units/text.js';
import { ratioInWords, times } from './paired/claims.js';
import { medianColumn } from './paired/table.js';

/** The cause of clients that require compression where a server does not choose it. */
const noCompression = 'bad-upgrade:no compression';

type Sides = Readonly<{ plain: ComparisonRow; compressed: ComparisonRow }>;

/** Says for each target of `--axis compression` what it costs and saves, or that the server does not agree to it. */
export function axisAnswer(comparison: Comparison, scenario: Declaration): string[] {
  const { axis, rows } = comparison;
  if (axis === undefined) return [];
  return rows.flatMap((plain) => {
    const compressed = rows.find(({ target }) => target === `${plain.target}+${axis}`);
    return compressed ? sentencesOf({ plain, compressed }, comparison, scenario) : [];
  });
}

function sentencesOf(sides: Sides, comparison: Comparison, scenario: Declaration): string[] {
  const { plain, compressed } = sides;
  const ends = compressed.runs.map(({ result }) => result);
  const { clients, deflated, whole } = compressedIn(ends);
  const isRefused = ends.some(({ stop }) => stop.evidence.some((each) => each.includes(noCompression)));
  if (isRefused || (clients === 0 && ends.some(({ stop }) => stop.code === 'completed')))
    return [`${plain.target} does not agree to compression, so there is nothing to compare.`];
  const costs = comparison.paired ? pairedCost(sides, comparison, scenario) : costsOfRuns(sides, comparison, scenario);
  const saved = whole > 0 ? `, and saves ${shareOf(whole - deflated, whole)} of the bytes of its messages` : '';
  const resources = resourcesOf(sides, comparison, clients / Math.max(1, ends.length));
  return costs === '' ? [] : [`${costs}${saved}.`, ...resources];
}

/** Sums over all runs the connections whose server chose compression, and the bytes of their messages. */
function compressedIn(runs: readonly RunResult[]): { clients: number; deflated: number; whole: number } {
  const uses = enginesTogether(runs.flatMap(({ shards }) => shards.flatMap(({ result }) => result?.rig.engines ?? [])));
  const sum = (name: 'compressedClients' | 'deflatedBytes' | 'inflatedBytes'): number =>
    uses.reduce((total, use) => total + (use[name] ?? 0), 0);
  return { clients: sum('compressedClients'), deflated: sum('deflatedBytes'), whole: sum('inflatedBytes') };
}

const wordsOf: Readonly<Record<Holds, string>> = {
  yes: 'Compression costs',
  no: 'Compression costs no time:',
  open: 'Whether compression costs time is open:',
};

function pairedCost({ plain, compressed }: Sides, { paired }: Comparison, scenario: Declaration): string {
  const pair = pairOf(paired?.pairs ?? [], compressed.target, plain.target);
  if (!pair || pair.ratio === null) return '';
  const words = pair.holds === 'yes' && pair.ratio < 1 ? 'Compression spares time:' : wordsOf[pair.holds];
  const column = medianColumn(scenario);
  return `${words} ${plain.target} ${ratioInWords(pair)} its ${column?.metric} ${column?.title}`;
}

/** Whole runs have the ratio of what a connection takes, or of each time, with an interval from enough runs. */
function costsOfRuns({ plain, compressed }: Sides, { pairs }: Comparison, { headline }: Declaration): string {
  const footprints = headline.filter(({ kind }) => kind === 'footprint');
  const columns = footprints.length > 0 ? footprints : headline.filter(({ kind }) => kind === 'figure');
  const of = columns.flatMap(({ title }) => {
    const [one, other] = [plain, compressed].map(
      ({ figures }) => figures.find(({ column }) => column === title)?.median ?? 0,
    );
    if (!one || !other) return [];
    const pair = pairOf(
      pairs.filter(({ column }) => column === title),
      compressed.target,
      plain.target,
    );
    return [`${title} ${pair ? ratioInWords(pair) : times(other / one)}`];
  });
  return of.length === 0 ? '' : `Compression costs ${plain.target} ${of.join(', ')}`;
}

/** Servers of their own have CPU and memory of their own. The runs of both sides are of the same starts. */
function resourcesOf({ plain, compressed }: Sides, { paired }: Comparison, clients: number): string[] {
  if (paired?.sameProcesses?.includes(plain.target))
    return [`Both sides share the processes of ${plain.target}, whose CPU and memory are not told apart.`];
  const cpuOf = ({ target, runs }: ComparisonRow): number | null => {
    const known = runs.flatMap(({ result }) => targetCpuMs(result.environment) ?? []);
    const cores = paired?.targets.find((each) => each.target === target)?.cpuCores;
    return paired ? (cores ?? null) : known.length > 0 ? median(known) : null;
  };
  const [one, other] = [cpuOf(plain), cpuOf(compressed)];
  const more = plain.runs.flatMap(({ result }, n) => {
    const [before, after] = [residentIn(result), compressed.runs[n] && residentIn(compressed.runs[n].result)];
    return before === null || after === null || after === undefined ? [] : [(after - before) / clients / 1000];
  });
  const kb = (value: number): string => {
    const whole = Math.round(Math.abs(value));
    return `${whole === 0 ? '' : value < 0 ? '−' : '+'}${countText(whole)}`;
  };
  const parts = [
    ...(one && other ? [`${times(other / one)} the CPU`] : []),
    ...(more.length > 0 && clients > 0
      ? [`${kb(median(more))} KB per connection (${kb(Math.min(...more))} to ${kb(Math.max(...more))})`]
      : []),
  ];
  return parts.length === 0 ? [] : [`The server takes ${parts.join(' and ')}.`];
}

/** Returns the resident memory of a target in the longest stage after the ramp. */
function residentIn({ environment }: RunResult): number | null {
  const [longest] = environment.stages
    .filter(({ name }) => name !== 'ramp')
    .toSorted((one, other) => other.toMs - other.fromMs - (one.toMs - one.fromMs));
  return longest ? readingIn(environment, longest.name, 'rssBytes', 0, Number.POSITIVE_INFINITY) : null;
}
