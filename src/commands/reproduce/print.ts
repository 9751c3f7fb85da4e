import { minRuns } from '../../measure/stats/estimate.js';
import {
  type DataTable,
  type Document,
  faulty,
  type Line,
  type Part,
  type Suite,
  toned,
} from '../../render/document/document.js';
import { statementTones, statementWords } from '../../render/words/statement.js';
import { boundsInWords, withBound } from '../../render/words/verdict-words.js';
import type { PublishedFigure, PublishedUnit, ReproducedTarget, Reproduction } from '../../results/published.js';
import { plural } from '../../units/text.js';
import { claimSentence, claimsIn, pairInWords } from './claims.js';
import { searchName } from './published.js';

const bounds = { about: '~', atLeast: '≥ ', below: '< ' } as const;

/** Renders a value in the published unit: counts whole, others with three significant digits. */
export function inUnit(value: number, unit: PublishedUnit): string {
  if (unit === 'count') return value.toLocaleString('en-US', { maximumFractionDigits: 0 });
  // Only a share that is complete is printed as 100 %.
  const shown = unit === '%' && value < 100 ? Math.min(value, 99.99).toFixed(2) : plain(value);
  return `${shown} ${unit}`;
}

function plain(value: number): string {
  return value.toLocaleString(
    'en-US',
    value >= 100 ? { maximumFractionDigits: 0 } : { minimumSignificantDigits: 3, maximumSignificantDigits: 3 },
  );
}

export function asPublished({ value, unit, bound }: PublishedFigure): string {
  const number = value.toLocaleString('en-US', { maximumFractionDigits: 6 });
  return `${bound ? bounds[bound] : ''}${number}${unit === 'count' ? '' : ` ${unit}`}`;
}

/** Renders the measured median with its bound, and its interval or the range of the runs; or why there is none. */
export function asMeasured({ measured, why }: Reproduction['rows'][number], unit: PublishedUnit): string {
  if (!measured) return why;
  const { atLeast } = measured;
  const mark = atLeast === undefined ? undefined : atLeast > 0 ? inUnit(atLeast, unit) : '';
  return withBound(inRange(measured, unit), mark);
}

function inRange({ median, least, most, interval }: Measured, unit: PublishedUnit): string {
  const [low, high] = interval ?? [least, most];
  if (inUnit(low, unit) === inUnit(high, unit)) return inUnit(median, unit);
  const ends = [low, high].map((each) => inUnit(each, unit).replace(/ [^ ]+$/, '')).join(' to ');
  return `${inUnit(median, unit)} ${interval ? `[${ends}]` : `(${ends})`}`;
}

type Measured = NonNullable<Reproduction['rows'][number]['measured']>;

function times(ratio: number | null): string {
  if (ratio === null) return '–';
  return `× ${ratio.toLocaleString('en-US', { maximumSignificantDigits: 2 })}`;
}

function sidesOf({ table, changes, rig, targets, repeat, isInTurn }: Reproduction): [string, string, string][] {
  const { cores, cpu, memoryBytes, kernel } = rig.machine;
  const { method } = table;
  const memory = (memoryBytes / 2 ** 30).toFixed(1);
  const loops = `${plural(rig.workersPerShard, 'event loop')} on ${plural(rig.shards, 'bench-runner')}`;
  const runs =
    table.scenario === searchName
      ? `${plural(repeat, 'run')} that must agree at each deciding rate`
      : isInTurn
        ? `${plural(repeat, 'start')} of all targets at once, in turn`
        : `${plural(repeat, 'run')} of each target, in turn`;
  const samples = rig.hasHistograms ? 'histograms of three digits' : 'every sample';
  const versions = targets.flatMap((each) => Object.entries(each.versions).map((entry) => entry.join(' ')));
  return [
    ...changes.map(({ option, published, here }): [string, string, string] => [option, published, here]),
    ['machine', table.machine, `${cores} × ${cpu}, ${memory} GiB, ${kernel}, shared by target and load`],
    ['versions', table.versions, [...new Set(versions)].join(', ') || '–'],
    ['clients', method.clients, `${rig.client === 'wire' ? 'wire clients' : 'the real client library'}, ${loops}`],
    ['clock', method.clock, 'one monotonic nanosecond clock for sends and deliveries'],
    ['samples', method.samples, `${samples}, merged; ${runs}`],
    ['publisher', method.publisher, rig.publisher],
  ];
}

/** Returns lines that say how fair the comparison is. */
export function fairness({ table, scale, targets, rows, pairs }: Reproduction): string[] {
  const ran = targets.filter(({ state }) => state === 'ran');
  if (ran.length === 0) return ['Nothing ran, so there is nothing to compare.'];
  const counts = table.figures.some(({ unit }, index) => unit === 'count' && (rows[index]?.measured?.median ?? 0) > 0);
  const unclean = ran.filter(({ verdicts }) => verdicts.limited + verdicts.void > 0).map(({ target }) => target);
  return [
    'Compare the order, not numbers: the machine, the load generator and its clock differ, as listed below.',
    pairs.some(({ isOfProcesses }) => isOfProcesses) &&
      `Fewer than ${minRuns} runs compare these processes by their blocks. --repeat ${minRuns} compares servers.`,
    scale < 1 && counts && `Most counts grow with the clients: expect × ${scale} of a published count.`,
    unclean.length > 0 &&
      `The load generator may explain figures of ${unclean.join(', ')}: not all of their runs are clean.`,
  ].filter((each) => each !== false);
}

/** Returns the table of published beside measured figures. */
export function figureTable(reproduction: Reproduction): DataTable {
  const { table, rows, targets } = reproduction;
  const gone = absent(reproduction);
  const found = table.figures.flatMap((figure, index) => {
    const row = rows[index];
    const target = targets.find((each) => each.target === figure.target);
    if (!row || !target || gone.includes(target)) return [];
    return [[figure.target, figure.metric, asPublished(figure), asMeasured(row, figure.unit), times(row.ratio)]];
  });
  return { head: ['contender', 'figure', 'published', 'here', 'ratio'], rows: found, left: [0, 1] };
}

function verdictsOf({ verdicts, state }: ReproducedTarget): string {
  const said = (['clean', 'limited', 'void'] as const).filter((each) => verdicts[each] > 0);
  return said.map((each) => `${verdicts[each]} ${each}`).join(', ') || state;
}

function absent({ targets }: Reproduction): ReproducedTarget[] {
  return targets.filter(
    ({ state, verdicts }) => state !== 'ran' && verdicts.clean + verdicts.limited + verdicts.void === 0,
  );
}

function notesOf(reproduction: Reproduction): Part[] {
  const { table, ours, found, targets } = reproduction;
  const caveats = table.figures.flatMap(({ target, metric, caveat }) =>
    caveat === undefined ? [] : [`${target} ${metric}: ${caveat}`],
  );
  const gone = absent(reproduction);
  const ran = targets.filter((each) => !gone.includes(each));
  const notes: [heading: string, lines: readonly string[]][] = [
    ['options that the source does not state', ours === '' ? [] : [ours]],
    ['defined differently', table.differs],
    ['read with care', [...new Set([...table.caveats, ...caveats])]],
    ['what was found', found],
    ['runs of each contender', ran.map((each) => `${each.target}: ${verdictsOf(each)}${each.by && `; ${each.by}`}`)],
    [
      'evidence against these numbers',
      targets.flatMap(({ target, evidence }) => evidence.map((text) => `${target}  ${text}`)),
    ],
    [
      'without a row',
      gone.map(({ target, state, why }) => `${target}: ${state === 'elsewhere' ? `no target here; ${why}` : why}`),
    ],
  ];
  return notes.map(([heading, lines]) => ({ title: [heading], blocks: lines.map((line) => `  ${line}`) }));
}

/** Returns the document of published figures beside measured ones: which claims hold here, the claims, the figures. */
export function reproductionDocument(reproduction: Reproduction): Document {
  const { table, tool } = reproduction;
  const { title, date, url } = table.source;
  const place = [title, date, table.where, url].filter((each) => each !== null).join(' · ');
  const claims = claimsIn(reproduction);
  const hasBounds = reproduction.rows.some(({ measured }) => measured?.atLeast !== undefined);
  return {
    title: `${table.id}  ${table.title}`,
    parts: [
      { blocks: [toned.aside(place)] },
      { isAnswer: true, blocks: [toned.title(claimSentence(claims))] },
      { blocks: claims.length > 0 ? [claimTable(reproduction)] : [] },
      { blocks: fairness(reproduction).map(toned.doubtful) },
      { blocks: [figureTable(reproduction), ...(hasBounds ? [toned.aside(boundsInWords)] : [])] },
      { blocks: [{ head: ['', 'published', 'here'], rows: sidesOf(reproduction), left: [0, 1, 2] }] },
      ...notesOf(reproduction),
    ],
    footer: [`ringside ${tool.version}`],
    suites: [suiteOf(reproduction)],
  };
}

/** Open pairs are skipped, because they state nothing. */
function suiteOf({ table, pairs, startedAt, tool }: Reproduction): Suite {
  const checks = pairs.map(({ a, b, metric, holds }) => {
    const name = `${metric}: ${a} below ${b}`;
    if (holds === 'yes') return { name };
    return faulty(name, holds === 'no' ? 'failure' : 'skipped', holds, statementWords.below[holds]);
  });
  return {
    name: `reproduce ${table.id}`,
    timestamp: startedAt,
    seconds: 0,
    properties: { version: tool.version },
    checks,
  };
}

function claimTable(reproduction: Reproduction): DataTable {
  const { table, rows } = reproduction;
  const rowsOfPair = (pair: Reproduction['pairs'][number]): Line[] => {
    const of = (print: (figure: PublishedFigure, row: Reproduction['rows'][number]) => string): string =>
      [pair.a, pair.b]
        .map((name) => {
          const at = table.figures.findIndex(({ target, metric }) => target === name && metric === pair.metric);
          return print(table.figures[at]!, rows[at]!);
        })
        .join(' < ');
    const here = of(({ unit }, { measured }) => (measured ? inUnit(measured.median, unit) : '–'));
    const said = { text: pairInWords(pair, reproduction), tone: statementTones[pair.holds] };
    return [`${pair.a} < ${pair.b}  ${pair.metric}`, of(asPublished), here.replace(' < ', ', '), said];
  };
  const found = claimsIn(reproduction).flatMap(({ text, pairs, holds }): Line[][] => {
    if (text === null) return pairs.map(rowsOfPair);
    const word = { text: statementWords.below[holds], tone: statementTones[holds] };
    return [[text, '', '', word], ...pairs.map(rowsOfPair)];
  });
  return { head: ['claim', 'published', 'here', ''], rows: found, left: [0, 1, 2, 3], ifNarrow: 'rowBlocks' };
}
