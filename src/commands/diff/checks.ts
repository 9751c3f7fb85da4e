import { type Check, faulty, type Suite } from '../../render/document/document.js';
import { checkNames } from '../../render/junit.js';
import { changeWord } from '../../render/words/statement.js';
import {
  type Diff,
  type DiffPart,
  type DiffRow,
  type DiffSide,
  isDeciding,
  isVoid,
  rigRemarkOf,
  type ThresholdChange,
} from '../../results/diff.js';
import { aloneInWords, changeInWords, inSide, passedInWords, sideInWords } from './words.js';

/** Returns a suite for each target of a diff: verdict and end of each side, figures with known noise, thresholds. */
export function diffSuites(diff: Diff): Suite[] {
  const { scenario, baseline, candidate, forced, parts, unmatched, tool } = diff;
  const properties = { baseline, candidate, version: tool.version, ...(forced === '' ? {} : { forced }) };
  const suite = (target: string, checks: Check[]): Suite => {
    return { name: `${scenario} ${target} against its baseline`, timestamp: '', seconds: 0, properties, checks };
  };
  const alone = aloneInWords(diff);
  return [
    ...parts.map((part) => suite(part.candidate.target, diffCases(part))),
    ...unmatched.map(({ target }, index) =>
      suite(target, [faulty('is on both sides', 'failure', 'unmatched', alone[index] ?? '')]),
    ),
  ];
}

function diffCases(part: DiffPart): Check[] {
  const { baseline, candidate, rows, thresholds } = part;
  return [
    ...sideCases('baseline', baseline),
    ...sideCases('candidate', candidate),
    ...rows.flatMap(rowCase),
    ...thresholds.map((promise) => comparedThreshold(promise, rigRemarkOf(part))),
  ];
}

/** Returns the cases of one side. That of the verdict is skipped where runs are limited. */
function sideCases(name: 'baseline' | 'candidate', side: DiffSide): Check[] {
  const { verdicts, evidence, stops } = side;
  const says = sideInWords(name, side).join('; ');
  const [rig, end] = [`${name}: ${checkNames.verdict}`, `${name}: ${checkNames.stop}`];
  const is = isVoid(side) ? 'failure' : 'skipped';
  return [
    says === '' ? { name: rig } : faulty(rig, is, verdicts.void > 0 ? 'void' : 'limited', says, evidence.join('\n')),
    stops.length === 0 ? { name: end } : faulty(end, 'failure', 'stopped', stops.join(', ')),
  ];
}

/** Returns no case for a figure that decides nothing. Skipped if it is undecided or single runs differ. */
function rowCase(row: DiffRow): Check[] {
  const { name, relation, why } = row;
  const isWorse = relation === 'worse';
  const word = changeWord(row);
  if (word === 'unknown' || (isWorse && !isDeciding(row))) return [];
  const was = `${name} was ${inSide(row, row.baseline)}, is ${inSide(row, row.candidate)}: ${changeInWords(row)}`;
  if (word === 'worse') return [faulty(name, 'failure', 'regression', was)];
  if (isWorse) return [faulty(name, 'skipped', word, `${was}; undecided: ${why}`)];
  if (word === 'differs') return [faulty(name, 'skipped', word, `${was}; single runs cannot tell why`)];
  return [{ name }];
}

/** Returns the case of a threshold. It fails if the candidate broke it, even if the baseline did too. */
function comparedThreshold({ text: name, baseline, candidate, relation }: ThresholdChange, doubt: string): Check {
  const message = `${name}: ${passedInWords(baseline)}, then ${passedInWords(candidate)}`;
  if (candidate === null) return faulty(name, 'skipped', 'notGiven', message);
  if (candidate.kept === candidate.runs) return { name };
  if (relation !== 'worse') return faulty(name, 'failure', 'threshold', message);
  return doubt === ''
    ? faulty(name, 'failure', 'regression', message)
    : faulty(name, 'skipped', 'undecided', `${message}; undecided: ${doubt}`);
}
