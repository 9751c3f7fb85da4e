import { minRuns } from '../../../measure/stats/estimate.js';
import type { PublishedTable } from '../../../results/published.js';
import type { ReproducedTarget, Reproduction } from '../reproduction.js';

/** The two sides of a reproduction: what, published, here. */
export type Side = readonly [what: string, published: string, here: string];

/** Where a table stands. */
export function placeOf({ source, where }: Pick<PublishedTable, 'source' | 'where'>): string {
  return [
    source.title,
    ...(source.date === null ? [] : [source.date]),
    where,
    ...(source.url === null ? [] : [source.url]),
  ].join(' · ');
}

/** All that is not the same on both sides, what was asked otherwise first. */
export function sidesOf({ table, changes, rig, targets, repeat }: Reproduction): Side[] {
  const { machine, versions, method } = table;
  const memory = (rig.machine.memoryBytes / 2 ** 30).toFixed(1);
  const loops = `${rig.workersPerShard} event loop${rig.workersPerShard === 1 ? '' : 's'} on ${rig.shards} bench-runner${rig.shards === 1 ? '' : 's'}`;
  return [
    ...changes.map(({ option, published, here }): Side => [option, published, here]),
    [
      'machine',
      machine,
      `${rig.machine.cores} × ${rig.machine.cpu}, ${memory} GiB, ${rig.machine.kernel}, for target and load together`,
    ],
    ['versions', versions, versionsOf(targets)],
    ['clients', method.clients, `${rig.client === 'wire' ? 'lean wire clients' : 'the real client library'}, ${loops}`],
    ['clock', method.clock, 'one monotonic clock of nanoseconds for sends and deliveries'],
    [
      'samples',
      method.samples,
      `${rig.hasHistograms ? 'histograms of three digits' : 'every one'}, merged; ${repeat} interleaved run${repeat === 1 ? '' : 's'} of each target`,
    ],
    ['publisher', method.publisher, rig.publisher],
  ];
}

function versionsOf(targets: readonly ReproducedTarget[]): string {
  const all = new Set(
    targets.flatMap(({ versions }) => Object.entries(versions).map(([name, version]) => `${name} ${version}`)),
  );
  return all.size === 0 ? '–' : [...all].join(', ');
}

/** Whether it is a fair comparison, in words. */
export function fairness({ table, scale, changes, targets, repeat, rows }: Reproduction): string[] {
  const ran = targets.filter(({ state }) => state === 'ran');
  if (ran.length === 0) return ['Nothing was run: there is nothing to compare.'];
  const apart = [
    ...(scale === 1 ? [] : [`the audience is scaled to ${scale} of the published one`]),
    ...(changes.length > 0 && scale === 1 ? ['not all was asked as published'] : []),
    'another machine',
    'another rig, with other clients and another clock',
    ...(table.differs.length > 0 ? ['figures that are defined otherwise'] : []),
  ];
  const counts = table.figures.some(({ unit }, index) => unit === 'count' && (rows[index]?.measured?.median ?? 0) > 0);
  const doubted = ran.filter(({ verdicts }) => verdicts.limited + verdicts.void > 0);
  return [
    `Is it fair? Not number against number: ${apart.join(', ')}.`,
    ran.length > 1
      ? 'What may be held against each other is how the targets lie to one another, which the last lines do.'
      : 'With one target there is no order to hold against the published one, either.',
    ...(repeat < minRuns
      ? [
          `Of fewer than ${minRuns} runs each there is no interval over runs, and no two are told apart: --repeat ${minRuns} tells.`,
        ]
      : []),
    ...(scale < 1 && counts ? [`Most counts go with the clients: of them × ${scale} is the same share.`] : []),
    ...(doubted.length === 0
      ? []
      : [
          `Read with doubt what is said of ${doubted.map(({ target }) => target).join(', ')}: not every run of theirs is clean.`,
        ]),
    ...(rows.some(({ why }) => why === 'no such figure here')
      ? ['Some of what was published has no like here, and says so in its row.']
      : []),
    ...(rows.some(({ why }) => why === 'too few samples')
      ? ['Some percentiles have too few samples beyond them at this scale: a larger one carries them.']
      : []),
  ];
}

/** The verdicts of a target's runs: `2 clean, 1 limited`. */
export function verdictsOf({ verdicts, state }: ReproducedTarget): string {
  const said = (['clean', 'limited', 'void'] as const).filter((each) => verdicts[each] > 0);
  return said.length === 0 ? state : said.map((each) => `${verdicts[each]} ${each}`).join(', ');
}

/** Targets without a row in the figures, and why. */
export function absent({ targets }: Reproduction): ReproducedTarget[] {
  return targets.filter(
    ({ state, verdicts }) => state !== 'ran' && verdicts.clean + verdicts.limited + verdicts.void === 0,
  );
}

/** Of each metric, how many of the published orders of two targets came out again, and which did not. */
export function orderLines({ pairs }: Reproduction): readonly (readonly [metric: string, text: string])[] {
  return [...new Set(pairs.map(({ metric }) => metric))].map((metric) => {
    const own = pairs.filter((pair) => pair.metric === metric);
    const same = own.filter(({ here }) => here === 'same').map(({ a, b }) => `${a} < ${b}`);
    const other = own.filter(({ here }) => here === 'other').map(({ a, b }) => `${b} < ${a}`);
    const open = own.filter(({ here }) => here === 'open').map(({ a, b }) => `${a} and ${b}`);
    return [
      metric,
      [
        ...(same.length > 0 ? [`as published: ${same.join(', ')}`] : []),
        ...(other.length > 0 ? [`the other way round: ${other.join(', ')}`] : []),
        ...(open.length > 0 ? [`not told apart: ${open.join(', ')}`] : []),
      ].join(' · '),
    ] as const;
  });
}

/** What speaks against what was measured, by target. */
export function evidenceOf({ targets }: Reproduction): string[] {
  return targets.flatMap(({ target, evidence }) => evidence.map((text) => `${target}  ${text}`));
}

/** Caveats of the table, then of its figures, each once. */
export function caveatsOf({ caveats, figures }: PublishedTable): string[] {
  const own = figures.flatMap(({ target, metric, caveat }) =>
    caveat === undefined ? [] : [`${target} ${metric}: ${caveat}`],
  );
  return [...new Set([...caveats, ...own])];
}
