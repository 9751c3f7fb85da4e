import { stopReasons } from '../../contract/stop-reasons.js';
import type { Declaration } from '../../measure/declaration.js';
import { rowsOf } from '../../results/comparison.js';
import {
  type Diff,
  type DiffPart,
  type DiffPromise,
  type DiffRow,
  type DiffSide,
  isDeciding,
  isVoid,
} from '../../results/diff.js';
import { isPlannedEnd, type RunResult } from '../../results/result.js';
import { aloneInWords, changeInWords, doubt, inSide, isDoubtfulIn, passedInWords } from '../diff.js';
import { thresholdInWords } from '../words/values.js';
import { doubtedInWords } from '../words/verdict-words.js';
import { type JunitCase, type JunitSuite, renderSuites } from './junit-document.js';
import type { Judged } from './source.js';

/**
 * JUnit XML. A run is a suite with the verdict, the stop reason and each threshold as cases. A target of a diff is a
 * suite with the verdict and end of each side, each figure with known noise and each threshold as cases.
 */
export function renderJunit(judged: readonly Judged[], diffs: readonly Diff[] = []): string {
  return renderSuites([...judged.flatMap(runSuites), ...diffs.flatMap(diffSuites)]);
}

type FaultKind = NonNullable<JunitCase['fault']>['is'];

function faulty(name: string, is: FaultKind, type: string, message: string, text = ''): JunitCase {
  return { name, fault: { is, type, message, text } };
}

/** The suites of a result: one for each run, and one for each target that did not run. */
export function runSuites({ kept, scenario }: Judged): JunitSuite[] {
  return rowsOf(kept).flatMap(({ target, state, why, runs }) => {
    const suites = runs.map(({ result }, index): JunitSuite => {
      const { job, fingerprint, tool, environment, startedAt } = result;
      return {
        name: `${scenario.name} ${target}${runs.length > 1 ? ` ${index + 1} of ${runs.length}` : ''}`,
        timestamp: startedAt,
        seconds: environment.elapsedMs / 1000,
        properties: { runId: job.runId, fingerprint, version: tool.version, seed: String(job.seed) },
        cases: [verdictCase(result), stopCase(result, scenario), ...thresholdCases(result)],
      };
    });
    if (state === 'ran') return suites;
    const cases = [faulty('can be run', state === 'failed' ? 'error' : 'skipped', state, why)];
    const name = `${scenario.name} ${target}`;
    return [...suites, { name, timestamp: kept.startedAt, seconds: 0, properties: {}, cases }];
  });
}

function diffSuites(diff: Diff): JunitSuite[] {
  const { scenario, baseline, candidate, forced, parts, unmatched, tool } = diff;
  const properties = { baseline, candidate, version: tool.version, ...(forced === '' ? {} : { forced }) };
  const suite = (target: string, cases: JunitCase[]): JunitSuite => {
    return { name: `${scenario} ${target} against its baseline`, timestamp: '', seconds: 0, properties, cases };
  };
  const alone = aloneInWords(diff);
  return [
    ...parts.map((part) => suite(part.candidate.target, diffCases(part))),
    ...unmatched.map(({ target }, index) =>
      suite(target, [faulty('is on both sides', 'failure', 'unmatched', alone[index] ?? '')]),
    ),
  ];
}

function diffCases(part: DiffPart): JunitCase[] {
  const { baseline, candidate, rows, promises } = part;
  return [
    ...sideCases('baseline', baseline),
    ...sideCases('candidate', candidate),
    ...rows.flatMap((row) => rowCase(row, part)),
    ...promises.map(comparedThreshold),
  ];
}

/** Figures may be the same although runs are limited: the case of the verdict is then skipped. */
function sideCases(name: 'baseline' | 'candidate', side: DiffSide): JunitCase[] {
  const { verdicts, evidence, stops } = side;
  const { clean, limited, void: voided } = verdicts;
  const runs = clean + limited + voided;
  const says = [
    ...(voided > 0 ? [`${voided} of ${runs} void: ${doubtedInWords.void}`] : []),
    ...(limited > 0 ? [`${limited} of ${runs} limited: ${doubtedInWords.limited}`] : []),
  ].join('; ');
  const [rig, end] = [`${name}: ${names.verdict}`, `${name}: ${names.stop}`];
  const is = isVoid(side) ? 'failure' : 'skipped';
  return [
    says === '' ? { name: rig } : faulty(rig, is, voided > 0 ? 'void' : 'limited', says, evidence.join('\n')),
    stops.length === 0 ? { name: end } : faulty(end, 'failure', 'stopped', stops.join(', ')),
  ];
}

/** No case for a figure that got worse and decides nothing; skipped if single runs cannot tell. */
function rowCase(row: DiffRow, part: DiffPart): JunitCase[] {
  const { name, judgement } = row;
  if (judgement === 'unknown' || (judgement === 'worse' && !isDeciding(row))) return [];
  const was = `${name} was ${inSide(row, row.baseline)}, is ${inSide(row, row.candidate)}: ${changeInWords(row)}`;
  if (judgement === 'worse')
    return [faulty(name, 'failure', 'regression', `${was}${isDoubtfulIn(part, row) ? `, ${doubt}` : ''}`)];
  if (judgement === 'differs') return [faulty(name, 'skipped', judgement, `${was}; single runs cannot tell why`)];
  return [{ name }];
}

/** A threshold that the candidate failed is a failure, also if the baseline failed it. */
function comparedThreshold({ text: name, baseline, candidate, judgement }: DiffPromise): JunitCase {
  const message = `${name}: ${passedInWords(baseline)}, then ${passedInWords(candidate)}`;
  if (candidate === null) return faulty(name, 'skipped', 'notGiven', message);
  if (candidate.kept === candidate.runs) return { name };
  return faulty(name, 'failure', judgement === 'worse' ? 'regression' : 'threshold', message);
}

const names = { verdict: 'the rig did not limit the figures', stop: 'went to its planned end' } as const;

function verdictCase({ verdict: { rig, evidence } }: RunResult): JunitCase {
  if (rig === 'clean') return { name: names.verdict };
  const text = evidence.map((each) => `${each.rule}: ${each.text}`).join('\n');
  return faulty(names.verdict, 'failure', rig, `${rig}: ${doubtedInWords[rig]}`, text);
}

function stopCase({ stop }: RunResult, scenario: Declaration): JunitCase {
  if (isPlannedEnd(stop.code, scenario)) return { name: names.stop };
  const { title, means } = stopReasons[stop.code];
  const text = [...stop.evidence, ...(stop.advice === undefined ? [] : [stop.advice])].join('\n');
  return faulty(names.stop, 'failure', stop.code, `${title}: ${means}`, text);
}

function thresholdCases({ thresholds, metrics }: RunResult): JunitCase[] {
  return thresholds.map((threshold) => {
    const { text, isKept } = threshold;
    if (isKept) return { name: text };
    return faulty(text, 'failure', 'threshold', `expected ${text}, received ${thresholdInWords(threshold, metrics)}`);
  });
}
