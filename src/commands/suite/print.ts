import { comparisonDocument } from '../../render/comparison.js';
import { type Check, type Document, type Line, type Tone, toned } from '../../render/document/document.js';
import { answerOf } from '../../render/paired/answer.js';
import { valueInWords } from '../../render/words/values.js';
import type { SuiteChange, SuiteOutcome, SuiteResult, SuiteRow } from '../../results/experiment.js';
import { plural, shareOf } from '../../units/text.js';
import { rigRemark } from '../diff/print.js';
import { isCounted, isLimitedAtMost, isRegression, type SuiteBook } from './conclude.js';

function changeInWords(change: SuiteChange): string {
  return `${valuesInWords(change)}${change.isOpen ? ` (${rigRemark})` : ''}`;
}

function valuesInWords({ name, kind, baseline, candidate }: SuiteChange): string {
  if (kind === 'threshold')
    return `${name} met in ${shareOf(baseline ?? 0, 1)} → ${shareOf(candidate ?? 0, 1)} of runs`;
  const unit = { figure: ' ms', footprint: ' bytes', count: '', share: '' }[kind];
  const values = `${name} ${valueInWords(kind, baseline)} → ${valueInWords(kind, candidate)}${unit}`;
  if (!baseline || candidate === null || kind === 'share') return values;
  const percent = Math.round((candidate / baseline - 1) * 100);
  return `${values} (${percent < 0 ? '−' : '+'}${Math.abs(percent)} %)`;
}

function withRemark(text: string, { isOpen }: Pick<SuiteRow, 'isOpen'>): string {
  return isOpen ? `${text}; ${rigRemark}` : text;
}

const summaryHead = ['entry', 'target', 'thresholds', 'ended', 'change', 'verdict'];

function summaryOf({ entries }: SuiteResult): Line[][] {
  return entries.flatMap(({ name, rows }) =>
    rows.map((row): Line[] => [
      name,
      row.target,
      { text: thresholdsInWords(row), tone: row.thresholds.broken.length > 0 ? 'bad' : 'plain' },
      { text: row.stops.join(', ') || '–', tone: row.stops.length > 0 ? 'bad' : 'plain' },
      { text: changesInWords(row), tone: toneOfChanges(row) },
      { text: verdictsInWords(row), tone: toneOfVerdicts(row) },
    ]),
  );
}

function toneOfVerdicts({ state, runs, verdicts }: SuiteRow): Tone {
  if (state === 'failed' || verdicts.void > 0) return 'bad';
  if (state === 'notAvailable' || runs === 0) return 'aside';
  return verdicts.limited > 0 ? 'doubtful' : 'good';
}

/** Returns `doubtful` if the rig may explain everything that became worse. */
export function toneOfChanges({ changes, isOpen }: SuiteRow): Tone {
  const worse = (changes ?? []).filter(isRegression);
  if (worse.length === 0) return 'plain';
  return isOpen || worse.every((change) => change.isOpen) ? 'doubtful' : 'bad';
}

const shown = 2;

/** Other figures than counts are called moved: the machine may have moved them. */
function changesInWords(row: SuiteRow): string {
  const { changes, untold, verdicts } = row;
  if (changes === null) return '–';
  const open = untold > 0 ? [`too few runs to judge ${untold} figure${untold === 1 ? '' : 's'}`] : [];
  const isMeasured = verdicts.clean + verdicts.limited > 0;
  if (changes.length === 0) return open[0] ?? (isMeasured ? 'same' : '–');
  const judged = (['worse', 'better', 'moved'] as const).flatMap((kind) => {
    const own = changes.filter((change) => kind === (isCounted(change) ? change.relation : 'moved'));
    if (own.length === 0) return [];
    const more = own.length > shown ? ` and ${own.length - shown} more` : '';
    return `${kind}: ${own.slice(0, shown).map(changeInWords).join(', ')}${more}`;
  });
  return [withRemark(judged.join('; '), row), ...open].join('; ');
}

function verdictsInWords({ state, why, runs, verdicts }: SuiteRow): string {
  if (state === 'notAvailable') return `not available: ${why}`;
  const counts = (['clean', 'limited', 'void'] as const).flatMap((rig) =>
    verdicts[rig] === 0 ? [] : `${runs > 1 ? `${verdicts[rig]} ` : ''}${rig}`,
  );
  return [...counts, ...(state === 'failed' ? [`failed: ${why}`] : [])].join(', ') || 'not run';
}

function thresholdsInWords({ thresholds: { given, kept, broken, undecided = 0 } }: SuiteRow): string {
  if (given === 0) return '–';
  const open = undecided > 0 ? `, ${undecided} undecided` : '';
  return broken.length === 0 ? `${kept} of ${given}${open}` : `broken: ${broken.join(', ')}${open}`;
}

function baselinesInWords({ entries }: SuiteResult): string[] {
  return entries.flatMap(({ name, baseline, notHeld, differs }) => [
    ...(baseline ? [`${name}: compared with ${baseline.directory} of ${baseline.startedAt}`] : []),
    ...(notHeld === '' ? [] : [`${name}: compared with nothing: ${notHeld}`]),
    ...differs.map((each) => `${name}: also differs: ${each}`),
  ]);
}

export function endInWords(suite: SuiteResult): { text: string; tone: Tone } {
  const { exit, isComplete } = suite;
  const says = {
    clean: 'no threshold broke, and nothing became worse',
    bug: 'Ringside itself failed',
    input: 'a target that must run could not run',
    threshold: 'a threshold broke, or a count is worse than in the baseline',
    rig: isLimitedAtMost(suite) ? 'the load generator may explain some of the numbers' : 'some runs are void',
    shardLost: 'a shard was lost or ended early',
    interrupted: 'interrupted; --resume makes the missing runs',
  }[exit];
  const text = isComplete || exit === 'interrupted' ? says : `${says}; some runs are missing`;
  return { text, tone: exit === 'clean' ? 'good' : exit === 'rig' ? 'doubtful' : 'bad' };
}

function orderInWords({ name, comparison: { paired }, scenario }: SuiteBook['boards'][number]): string[] {
  return paired ? [`${name}: ${answerOf(paired, scenario).join(' ')}`] : [];
}

/** Returns the document of a suite: the board of each entry, a row for each target of each entry, and its end. */
export function suiteDocument({ suite, boards }: SuiteBook): Document {
  const documents = boards.map(({ name, comparison, scenario }) => {
    const of = name === scenario.name ? name : `${name} (${scenario.name})`;
    const times = `${plural(comparison.repeat, 'run')} of each target`;
    return { name, ...comparisonDocument(comparison, scenario, `${of}  ${times}`) };
  });
  const checks = suite.entries.flatMap((entry) => entry.rows.flatMap((row) => checksOf(entry, row)));
  const own = { name: `suite ${suite.name}`, timestamp: suite.startedAt, seconds: 0, properties: {}, checks };
  return {
    title: `suite ${suite.name}`,
    parts: [
      { isAnswer: true, blocks: [endInWords(suite), ...boards.flatMap(orderInWords)] },
      { blocks: [{ head: summaryHead, rows: summaryOf(suite), left: [0, 1, 2, 3, 4, 5] }] },
      { blocks: baselinesInWords(suite).map(toned.aside) },
    ],
    details: documents,
    footer: [`ringside ${suite.tool.version}`],
    suites: [...documents.flatMap(({ suites }) => suites), ...(checks.length > 0 ? [own] : [])],
  };
}

function checksOf({ name, isRequired, repeat }: SuiteOutcome, row: SuiteRow): Check[] {
  const { target, state, why, runs, changes } = row;
  const worse = (changes ?? []).filter(isRegression).map(changeInWords);
  const test = (checks: string, is: 'failure' | 'error' | 'skipped', message: string | undefined): Check => ({
    name: `${name} ${target} ${checks}`,
    ...(message !== undefined && { fault: { is, type: 'suite', message, text: '' } }),
  });
  const ran =
    state === 'ran' ? test('can run', 'skipped', runs > 0 ? undefined : 'not tried') : test('can run', 'failure', why);
  const whole = test('made every run', 'error', runs < repeat ? `${runs} of ${repeat} runs` : undefined);
  const same = test('is not worse', 'failure', worse.length > 0 ? withRemark(worse.join(', '), row) : undefined);
  return [...(isRequired ? [ran] : []), ...(state === 'notAvailable' ? [] : [whole]), ...(changes ? [same] : [])];
}
