import { minRuns } from '../../../measure/stats/estimate.js';
import type { PublishedTable } from '../../../results/published.js';
import type { ReproducedTarget, Reproduction } from '../reproduction.js';
import { asMeasured, asPublished, times } from './figure.js';

/** Where a table was published. */
export function placeOf({ source: { title, date, url }, where }: Pick<PublishedTable, 'source' | 'where'>): string {
  return [title, date, where, url].filter((each) => each !== null).join(' · ');
}

/** What differs between source and reproduction, each with its name: changed options first. */
export function sidesOf({ table, changes, rig, targets, repeat }: Reproduction): [string, string, string][] {
  const { cores, cpu, memoryBytes, kernel } = rig.machine;
  const { method } = table;
  const memory = (memoryBytes / 2 ** 30).toFixed(1);
  const loops = `${plural(rig.workersPerShard, 'event loop')} on ${plural(rig.shards, 'bench-runner')}`;
  const samples = rig.hasHistograms ? 'histograms of three digits' : 'every sample';
  const versions = targets.flatMap((each) => Object.entries(each.versions).map((entry) => entry.join(' ')));
  return [
    ...changes.map(({ option, published, here }): [string, string, string] => [option, published, here]),
    ['machine', table.machine, `${cores} × ${cpu}, ${memory} GiB, ${kernel}, shared by target and load`],
    ['versions', table.versions, [...new Set(versions)].join(', ') || '–'],
    ['clients', method.clients, `${rig.client === 'wire' ? 'wire clients' : 'the real client library'}, ${loops}`],
    ['clock', method.clock, 'one monotonic nanosecond clock for sends and deliveries'],
    ['samples', method.samples, `${samples}, merged; ${plural(repeat, 'interleaved run')} of each target`],
    ['publisher', method.publisher, rig.publisher],
  ];
}

function plural(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

/** How far the comparison is fair, in lines. */
export function fairness({ table, scale, changes, targets, repeat, rows }: Reproduction): string[] {
  const ran = targets.filter(({ state }) => state === 'ran');
  if (ran.length === 0) return ['Nothing ran, so there is nothing to compare.'];
  const counts = table.figures.some(({ unit }, index) => unit === 'count' && (rows[index]?.measured?.median ?? 0) > 0);
  const doubted = ran.filter(({ verdicts }) => verdicts.limited + verdicts.void > 0).map(({ target }) => target);
  const apart = [
    scale !== 1 && `the audience (× ${scale})`,
    scale === 1 && changes.length > 0 && 'some options',
    'the machine',
    'the load generator, its clients and its clock',
    table.differs.length > 0 && 'the definition of some figures',
  ].filter((each) => each !== false);
  const hasRow = (why: string): boolean => rows.some((row) => row.why === why);
  return [
    `Do not compare number with number. These differ: ${apart.join(', ')}.`,
    ran.length > 1 ? 'Compare the order of the targets, in the last lines.' : 'One target has no order to compare.',
    repeat < minRuns && `Fewer than ${minRuns} runs give no interval over runs and no order: add --repeat ${minRuns}.`,
    scale < 1 && counts && `Most counts grow with the clients: expect × ${scale} of a published count.`,
    doubted.length > 0 && `The rig may explain figures of ${doubted.join(', ')}: not all of their runs are clean.`,
    hasRow('no such figure here') && 'Ringside does not measure some of the published figures. Their rows say so.',
    hasRow('too few samples') && 'Some percentiles have too few samples at this scale. A larger one has more.',
  ].filter((each) => each !== false);
}

/** The columns of `figureRows`. */
export const figureHead = ['target', 'figure', 'published', 'here', 'here over published', 'verdict'];

/** Each published figure beside the measured one, for targets that have a row. */
export function figureRows(reproduction: Reproduction): string[][] {
  const { table, rows, targets } = reproduction;
  const gone = absent(reproduction);
  return table.figures.flatMap((figure, index) => {
    const row = rows[index];
    const target = targets.find((each) => each.target === figure.target);
    if (!row || !target || gone.includes(target)) return [];
    const cells = [figure.target, figure.metric, asPublished(figure), asMeasured(row, figure.unit), times(row.ratio)];
    return [[...cells, verdictsOf(target)]];
  });
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

/** For each metric, which published orders of two targets came out again, and which did not. */
export function orderLines({ pairs }: Reproduction): [metric: string, text: string][] {
  return [...new Set(pairs.map(({ metric }) => metric))].map((metric) => {
    const inOrder = (here: 'same' | 'other' | 'open', name: string, print: (a: string, b: string) => string) => {
      const own = pairs.filter((pair) => pair.metric === metric && pair.here === here);
      return own.length > 0 ? [`${name}: ${own.map(({ a, b }) => print(a, b)).join(', ')}`] : [];
    };
    const parts = [
      inOrder('same', 'as published', (a, b) => `${a} < ${b}`),
      inOrder('other', 'reversed', (a, b) => `${b} < ${a}`),
      inOrder('open', 'undecided', (a, b) => `${a} and ${b}`),
    ];
    return [metric, parts.flat().join(' · ')];
  });
}

/** Notes on a reproduction under headings: those on the source, then those on what was measured. */
export function notesOf(reproduction: Reproduction): { onSource: Note[]; onRuns: Note[] } {
  const { table, ours, targets } = reproduction;
  const caveats = table.figures.flatMap(({ target, metric, caveat }) =>
    caveat === undefined ? [] : [`${target} ${metric}: ${caveat}`],
  );
  return {
    onSource: [
      ['options that the source does not state', ours === '' ? [] : [ours]],
      ['defined differently', table.differs],
      ['read with care', [...new Set([...table.caveats, ...caveats])]],
    ],
    onRuns: [
      [
        'evidence against these numbers',
        targets.flatMap(({ target, evidence }) => evidence.map((text) => `${target}  ${text}`)),
      ],
      [
        'without a row',
        absent(reproduction).map(
          ({ target, state, why }) => `${target}: ${state === 'elsewhere' ? `no target here (${why})` : why}`,
        ),
      ],
    ],
  };
}

type Note = [heading: string, lines: readonly string[]];
