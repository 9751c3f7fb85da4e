import { valueInWords } from '../../../render/words/values.js';
import { shareOf } from '../../../units/words.js';
import { doubt } from '../../diff/print.js';
import { isLimitedAtMost, type SuiteChange, type SuiteResult, type SuiteRow } from '../book.js';

/** A change in words, with its own doubt: `delivery.p99 3.07 → 5.12 ms (+67 %)`. */
export function changeInWords(change: SuiteChange): string {
  return `${valuesInWords(change)}${change.isDoubtful ? ` (${doubt})` : ''}`;
}

function valuesInWords({ name, kind, baseline, candidate }: SuiteChange): string {
  if (kind === 'promise') return `${name} met in ${shareOf(baseline ?? 0, 1)} → ${shareOf(candidate ?? 0, 1)} of runs`;
  const unit = { figure: ' ms', footprint: ' bytes', count: '', share: '' }[kind];
  const values = `${name} ${valueInWords(kind, baseline)} → ${valueInWords(kind, candidate)}${unit}`;
  if (!baseline || candidate === null || kind === 'share') return values;
  const percent = Math.round((candidate / baseline - 1) * 100);
  return `${values} (${percent < 0 ? '−' : '+'}${Math.abs(percent)} %)`;
}

/** Adds to a text about changes that the rig may explain them. */
export function withDoubt(text: string, { isDoubtful }: Pick<SuiteRow, 'isDoubtful'>): string {
  return isDoubtful ? `${text}; ${doubt}` : text;
}

/** What a cell means: its colour on a terminal, its mark in Markdown. */
export type Tone = 'plain' | 'aside' | 'good' | 'doubtful' | 'bad';

/** Columns of the summary: a row for each target of each entry. */
export const summaryHead = ['entry', 'target', 'thresholds', 'ended', 'change', 'verdict'];

/** The summary of a suite in cells. */
export function summaryOf({ entries }: SuiteResult): [text: string, tone: Tone][][] {
  return entries.flatMap(({ name, rows }) =>
    rows.map((row): [string, Tone][] => [
      [name, 'plain'],
      [row.target, 'plain'],
      [thresholdsInWords(row), row.promises.broken.length > 0 ? 'bad' : 'plain'],
      [row.stops.join(', ') || '–', row.stops.length > 0 ? 'bad' : 'plain'],
      [changesInWords(row), toneOfChanges(row)],
      [verdictsInWords(row), toneOfVerdicts(row)],
    ]),
  );
}

function toneOfVerdicts({ state, runs, verdicts }: SuiteRow): Tone {
  if (state === 'failed' || verdicts.void > 0) return 'bad';
  if (state === 'notAvailable' || runs === 0) return 'aside';
  return verdicts.limited > 0 ? 'doubtful' : 'good';
}

/** Doubtful if the rig may explain everything that became worse. */
export function toneOfChanges({ changes, isDoubtful }: SuiteRow): Tone {
  const worse = (changes ?? []).filter(({ judgement }) => judgement === 'worse');
  if (worse.length === 0) return 'plain';
  return isDoubtful || worse.every((change) => change.isDoubtful) ? 'doubtful' : 'bad';
}

const shown = 2;

/** The first changes of a row, worse ones first, as much as fits a cell; a dash without a comparison. */
export function changesInWords(row: SuiteRow): string {
  const { changes, untold, verdicts } = row;
  if (changes === null) return '–';
  const open = untold > 0 ? [`too few runs to judge ${untold} figure${untold === 1 ? '' : 's'}`] : [];
  const isMeasured = verdicts.clean + verdicts.limited > 0;
  if (changes.length === 0) return open[0] ?? (isMeasured ? 'same' : '–');
  const judged = (['worse', 'better'] as const).flatMap((judgement) => {
    const own = changes.filter((change) => change.judgement === judgement);
    if (own.length === 0) return [];
    const more = own.length > shown ? ` and ${own.length - shown} more` : '';
    return `${judgement}: ${own.slice(0, shown).map(changeInWords).join(', ')}${more}`;
  });
  return [withDoubt(judged.join('; '), row), ...open].join('; ');
}

/** `2 clean, 1 limited`. */
function verdictsInWords({ state, why, runs, verdicts }: SuiteRow): string {
  if (state === 'notAvailable') return `not available: ${why}`;
  const counts = (['clean', 'limited', 'void'] as const).flatMap((rig) =>
    verdicts[rig] === 0 ? [] : `${runs > 1 ? `${verdicts[rig]} ` : ''}${rig}`,
  );
  return [...counts, ...(state === 'failed' ? [`failed: ${why}`] : [])].join(', ') || 'not run';
}

/** `9 of 9`, or the broken ones. */
function thresholdsInWords({ promises: { given, kept, broken } }: SuiteRow): string {
  if (given === 0) return '–';
  return broken.length === 0 ? `${kept} of ${given}` : `broken: ${broken.join(', ')}`;
}

/** What each entry was compared with, or why with nothing, and what else differs, in lines. */
export function baselinesInWords({ entries }: SuiteResult): string[] {
  return entries.flatMap(({ name, baseline, notHeld, differs }) => [
    ...(baseline ? [`${name}: compared with ${baseline.directory} of ${baseline.startedAt}`] : []),
    ...(notHeld === '' ? [] : [`${name}: compared with nothing: ${notHeld}`]),
    ...differs.map((each) => `${name}: also differs: ${each}`),
  ]);
}

/** How a suite ended. */
export function endInWords(suite: SuiteResult): { text: string; tone: Tone } {
  const { exit, isComplete } = suite;
  const says = {
    clean: 'no threshold broke, and nothing became worse',
    bug: 'Ringside itself failed',
    input: 'a target that must run could not run',
    threshold: 'a threshold broke, or a figure is worse than in the baseline',
    rig: isLimitedAtMost(suite) ? 'the rig may explain some of the numbers' : 'some runs are void',
    shardLost: 'a shard was lost or ended early',
    interrupted: 'interrupted; --resume makes the missing runs',
  }[exit];
  const text = isComplete || exit === 'interrupted' ? says : `${says}; some runs are missing`;
  return { text, tone: exit === 'clean' ? 'good' : exit === 'rig' ? 'doubtful' : 'bad' };
}
