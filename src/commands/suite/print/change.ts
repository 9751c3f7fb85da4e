import { doubt } from '../../../render/diff.js';
import { valueInWords } from '../../../render/words/values.js';
import { shareOf } from '../../../units/words.js';
import { isLimitedAtMost, type SuiteChange, type SuiteResult, type SuiteRow } from '../book.js';

/** A change in words: `delivery.p99 3.07 → 5.12 ms (+67 %)`, and its own doubt, where it has one. */
export function changeInWords(change: SuiteChange): string {
  return `${valuesInWords(change)}${change.isDoubtful ? ` (${doubt})` : ''}`;
}

function valuesInWords({ name, kind, baseline, candidate }: SuiteChange): string {
  if (kind === 'promise') return `${name} kept by ${shareOf(baseline ?? 0, 1)} → ${shareOf(candidate ?? 0, 1)} of runs`;
  const unit = kind === 'figure' ? ' ms' : kind === 'footprint' ? ' bytes' : '';
  const values = `${name} ${valueInWords(kind, baseline)} → ${valueInWords(kind, candidate)}${unit}`;
  if (!baseline || candidate === null || kind === 'share') return values;
  const percent = Math.round((candidate / baseline - 1) * 100);
  return `${values} (${percent < 0 ? '−' : '+'}${Math.abs(percent)} %)`;
}

/** What is said of changes of a row, and that they may be no change of its target, where they may. */
export function withDoubt(text: string, { isDoubtful }: Pick<SuiteRow, 'isDoubtful'>): string {
  return isDoubtful ? `${text}; ${doubt}` : text;
}

/** Whether something in a row became worse, and where it did, whether the rig may have written all of that. */
export function worseInWords({ changes, isDoubtful }: SuiteRow): 'same' | 'doubtful' | 'worse' {
  const worse = (changes ?? []).filter(({ judgement }) => judgement === 'worse');
  if (worse.length === 0) return 'same';
  return isDoubtful || worse.every((change) => change.isDoubtful) ? 'doubtful' : 'worse';
}

const shown = 2;

/** What changed in a row against its baseline, the worse first and of each as much as a cell takes; a dash where there is none. */
export function changesInWords(row: SuiteRow): string {
  const { changes, untold, verdicts } = row;
  if (changes === null) return '–';
  const open = untold > 0 ? [`${untold} figure${untold === 1 ? '' : 's'} of which too few runs tell`] : [];
  const isMeasured = verdicts.clean + verdicts.limited > 0;
  if (changes.length === 0) return open[0] ?? (isMeasured ? 'same' : '–');
  const told = (['worse', 'better'] as const).flatMap((judgement) => {
    const own = changes.filter((change) => change.judgement === judgement);
    if (own.length === 0) return [];
    const more = own.length > shown ? ` and ${own.length - shown} more` : '';
    return `${judgement}: ${own.slice(0, shown).map(changeInWords).join(', ')}${more}`;
  });
  return [withDoubt(told.join('; '), row), ...open].join('; ');
}

/** The verdicts of a row in words: `2 clean, 1 limited`. */
export function verdictsInWords({ state, why, runs, verdicts }: SuiteRow): string {
  if (state === 'notAvailable') return `not available: ${why}`;
  const told = (['clean', 'limited', 'void'] as const).flatMap((rig) =>
    verdicts[rig] === 0 ? [] : `${runs > 1 ? `${verdicts[rig]} ` : ''}${rig}`,
  );
  return [...told, ...(state === 'failed' ? [`failed: ${why}`] : [])].join(', ') || 'not run';
}

/** How a row kept its promises: `9 of 9`, or those that it broke. */
export function promisesInWords({ promises: { given, kept, broken } }: SuiteRow): string {
  if (given === 0) return '–';
  return broken.length === 0 ? `${kept} of ${given}` : `broken: ${broken.join(', ')}`;
}

/** What ended runs of a row otherwise than planned; a dash where nothing did. */
export function stopsInWords({ stops }: SuiteRow): string {
  return stops.join(', ') || '–';
}

/** How a suite ended, in words. */
export function endInWords(suite: SuiteResult): string {
  const { exit, isComplete } = suite;
  const says = {
    clean: 'all is well',
    bug: 'the rig failed by a fault of Ringside',
    input: 'not everything that must run could be run',
    threshold: 'a promise was broken, or something is worse than in the baseline',
    rig: isLimitedAtMost(suite) ? 'the rig may have written some of the numbers' : 'some of the numbers are void',
    shardLost: 'a shard was lost or ended early',
    interrupted: 'interrupted; what is missing can still be run',
  }[exit];
  return isComplete || exit === 'interrupted' ? says : `${says}; not every run was made`;
}
