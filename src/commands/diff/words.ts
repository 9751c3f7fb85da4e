import { inCell } from '../../render/words/scoreboard.js';
import { valueInWords } from '../../render/words/values.js';
import { failedInWords, withBound } from '../../render/words/verdict-words.js';
import type { Diff, DiffRow, DiffSide, DiffValue, ThresholdChange } from '../../results/diff.js';
import { countText } from '../../units/text.js';

export function aloneInWords({ unmatched }: Diff): string[] {
  return unmatched.map(({ target, on }) => `${target} ran only on the ${on} side`);
}

export function sideInWords(name: string, { verdicts }: Pick<DiffSide, 'verdicts'>): string[] {
  const { clean, limited, void: voided } = verdicts;
  const runs = clean + limited + voided;
  const of = (number: number): string => (runs === 1 ? '' : ` in ${number} of ${runs} runs`);
  return [
    ...(voided > 0 ? [`${name} VOID${of(voided)}: ${failedInWords.void}`] : []),
    ...(limited > 0 ? [`${name} LIMITED${of(limited)}: ${failedInWords.limited}`] : []),
  ];
}

export function passedInWords(side: ThresholdChange['baseline']): string {
  return side === null ? 'not set' : `passed in ${side.kept} of ${side.runs}`;
}

/** Returns a side's median with its interval or spread, and its bound. */
export function inSide({ kind }: Pick<DiffRow, 'kind'>, value: DiffValue | null): string {
  if (value === null) return '–';
  const { isBounded, leastShare = 0, median } = value;
  const least = leastShare > 0 ? valueInWords(kind, median * leastShare) : '';
  return withBound(
    inCell(value, (each) => valueInWords(kind, each)),
    isBounded ? least : undefined,
  );
}

/** Returns a change in its unit and in percent: `+0.412 (+12.3 %)`. */
export function changeInWords({ kind, change, changeShare }: DiffRow): string {
  if (change === null) return '–';
  if (change === 0) return '0';
  const sign = change > 0 ? '+' : '−';
  const size = Math.abs(change);
  if (kind === 'share') return `${sign}${(size * 100).toFixed(2)} %`;
  const times = changeShare === null ? '' : ` (${sign}${(Math.abs(changeShare) * 100).toFixed(1)} %)`;
  return `${sign}${kind === 'count' ? countText(size) : valueInWords(kind, size)}${times}`;
}
