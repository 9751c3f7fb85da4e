import { stopReasons } from '../contract/stop-reasons.js';
import type { Declaration } from '../measure/declaration.js';
import { worstOf } from '../measure/statement.js';
import type { Comparison, ComparisonRow, Pair, Proof } from '../results/comparison.js';
import { machinesApart } from '../results/likeness.js';
import type { Paired } from '../results/paired.js';
import { holdsOf, type RunResult } from '../results/result.js';
import { plural } from '../units/text.js';
import { axisAnswer } from './axis.js';
import { type Document, type Facts, type Line, type Part, type TextPiece, toned } from './document/document.js';
import { runSuites } from './junit.js';
import { answerOf } from './paired/answer.js';
import { contenders } from './paired/claims.js';
import { machineInWords, missing, pairedTable, runsInWords, shapeInWords } from './paired/table.js';
import { findingOf } from './words/answer.js';
import { notesOf } from './words/notes.js';
import { cell, failedThresholds, isBest, legends, pairLines, warningsOf } from './words/scoreboard.js';
import { ratioThresholdLines, statementTones } from './words/statement.js';
import { optionsInWords, titleInWords } from './words/values.js';
import { bySaid, runWords } from './words/verdict-words.js';

/** If noise could hide a change by this factor, the question stays open. */
export const openAbove = 1.25;

/** Formats a proof as named lines: whether figures moved with the rig, and by how much. */
export function proofFacts({ against, notTried }: Proof): Facts['facts'] {
  const moved = against.filter(({ isBeyondNoise }) => isBeyondNoise);
  const held = against.filter(({ isBeyondNoise }) => !isBeyondNoise);
  const lines: Line[] = [
    summary(against, moved),
    ...moved.map(sentence),
    ...held.map(sentence).map(toned.aside),
    ...(against.length > 0 ? [toned.aside('95 % intervals, which hold all at once')] : []),
    ...notTried.map((why) => toned.aside(`not tried: ${why}`)),
  ];
  return lines.map((line, n) => [n === 0 ? 'proof' : '', line]);
}

function summary(against: readonly Pair[], moved: readonly Pair[]): Line {
  if (moved.length > 0) return toned.bad('MOVED: the load generator limited these figures');
  const [widest] = against.toSorted((a, b) => hidden(b) - hidden(a));
  if (widest === undefined) return toned.bad('OPEN: no figure could be compared with the base');
  const most = `the largest move that is not excluded is ${change(hidden(widest))}, of ${widest.column}`;
  return hidden(widest) <= openAbove
    ? toned.good(`HELD: no figure moved with the load generator; ${most}`)
    : toned.doubtful(`OPEN: no figure moved beyond noise, but ${most}; repeat more often`);
}

function hidden({ interval: [low, high] }: Pair): number {
  return Math.max(high, 1 / low);
}

/** Formats a pair. Its ratio is base over variant, but the sentence shows the change from the base. */
function sentence({ column, a, b, ratio, interval: [low, high] }: Pair): string {
  return `${column}: ${change(1 / ratio)} [${change(1 / high)} to ${change(1 / low)}] from ${a} to ${b}`;
}

function change(times: number): string {
  const percent = (times - 1) * 100;
  return `${percent < 0 ? '−' : '+'}${Math.abs(percent).toFixed(1)} %`;
}

const bestMark = '*';

/** Returns the document of a comparison. A paired one answers first, others show the scoreboard. */
export function comparisonDocument(
  comparison: Comparison,
  scenario: Declaration,
  heading: string = headingOf(comparison),
): Document {
  if (comparison.paired) return pairedDocument(comparison, comparison.paired, scenario);
  const runs = comparison.rows.flatMap((row) => row.runs.map((run) => run.result));
  const { forced } = comparison;
  const options = runs[0]?.job.options;
  const rows = comparison.rows.map((row) => rowOf(row, comparison, scenario));
  const titles = scenario.headline.map(titleInWords);
  const findings = runs.flatMap((run) => findingOf(run, scenario).map((text) => `${run.target.name}  ${text}`));
  const pairs = pairLines(scenario, comparison);
  const left = [0, titles.length + 1];
  const onAxis = axisAnswer(comparison, scenario);
  return {
    title: heading,
    parts: [
      ...(onAxis.length > 0 ? [{ isAnswer: true, blocks: [toned.title(onAxis.join(' '))] } as const] : []),
      {
        blocks: [
          ...(options ? [optionsInWords(scenario, options)] : []),
          ...notesOf(runs[0], scenario).map(toned.doubtful),
          ...(forced === '' ? [] : [toned.doubtful(`these runs were asked for different loads: ${forced}`)]),
          ...machinesApart(runs).map((each) => toned.doubtful(`between these runs, ${each}`)),
        ],
      },
      { isAnswer: true, isJoined: true, blocks: comparison.proof ? [{ facts: proofFacts(comparison.proof) }] : [] },
      { only: 'exports', isAnswer: true, blocks: verdictLines(runs, scenario) },
      { title: 'ratios', blocks: ratioThresholdLines(comparison) },
      { title: 'differences beyond noise', blocks: pairs.length > 0 ? [{ aligned: pairs }] : [] },
      { blocks: [{ head: ['target', ...titles, 'verdict'], rows, left, ifNarrow: 'columnBlocks' }] },
      { title: 'findings', blocks: findings },
      { title: toned.doubtful('warnings'), folded: 'Warnings', blocks: warningsOf(runs, scenario) },
      { title: toned.bad('failed thresholds'), blocks: failedThresholds(runs) },
      thresholdPart(comparison),
      { blocks: legends(comparison, scenario, bestMark).map(toned.aside) },
    ],
    footer: footerOf(comparison),
    suites: runSuites({ kept: comparison, scenario }),
  };
}

function verdictLines(runs: readonly RunResult[], scenario: Declaration): Line[] {
  if (runs.length === 0) return [toned.bad('nothing ran')];
  return bySaid(runs, scenario)
    .toReversed()
    .map(({ said, runs: own }) => [`${own.length} of ${runs.length} runs `, runWords[said]]);
}

function footerOf({ fingerprint, tool }: Comparison): string[] {
  return [`shape ${fingerprint}`, `ringside ${tool.version}`];
}

function thresholdPart({ rows }: Comparison): Part {
  const lines = rows.flatMap(({ target, runs }) => {
    const all = runs.flatMap(({ result }) => result.thresholds);
    return [...new Set(all.map(({ text }) => text))].map((text) => {
      const given = all.filter((each) => each.text === text).map(holdsOf);
      const passed = given.filter((state) => state === 'yes').length;
      const met = { text: `${passed} of ${given.length}`, tone: statementTones[worstOf(given)] };
      return [target, toned.code(text), met];
    });
  });
  const table = { head: ['target', 'threshold', 'runs that passed'], rows: lines, left: [0, 1, 2] };
  return { only: 'exports', blocks: lines.length > 0 ? [table] : [] };
}

function headingOf({ scenario, repeat, rows, proof }: Comparison): string {
  const bases = proof?.variants.filter(({ isBase }) => isBase).length ?? rows.length;
  const rigs = proof ? ` on ${rows.length / bases} load generators` : '';
  return `${scenario}  ${plural(bases, 'target')}${rigs}, ${plural(repeat, 'run')} each, in turn`;
}

function rowOf(row: ComparisonRow, comparison: Comparison, scenario: Declaration): Line[] {
  const { target, state, why, runs } = row;
  const nothing = scenario.headline.map(() => '–');
  if (state === 'notAvailable') return [target, ...nothing, toned.aside(`not available: ${why}`)];
  const failed = state === 'failed' ? [toned.bad(`failed: ${why}`)] : [];
  if (runs.length === 0) return [target, ...nothing, failed[0] ?? toned.aside('not run')];
  const cells = scenario.headline.map((column) => {
    const text = cell(column, row, scenario);
    return isBest(column, target, comparison, scenario) ? toned.good(`${bestMark} ${text}`) : text;
  });
  const said = [...verdicts(row, scenario), ...failed];
  return [target, ...cells, said.flatMap((piece, n) => (n === 0 ? [piece] : [', ', piece]))];
}

function verdicts(row: ComparisonRow, scenario: Declaration): TextPiece[] {
  const results = row.runs.map(({ result }) => result);
  return bySaid(results, scenario).map(({ said, runs }) => {
    const stops = new Set(runs.map(({ stop }) => stop.code).filter((code) => code !== 'completed'));
    const why = [...stops].map((code) => stopReasons[code].title).join(', ');
    const times = results.length > 1 ? `${runs.length} ` : '';
    return { text: `${times}${said}${why === '' ? '' : ` (${why})`}`, tone: runWords[said].tone };
  });
}

function pairedDocument(comparison: Comparison, paired: Paired, scenario: Declaration): Document {
  const { head, rows, legend } = pairedTable(paired, scenario);
  const absent = missing(comparison, paired);
  const runs = comparison.rows.flatMap((row) => row.runs.map(({ result }) => result));
  const { voided, warned } = runsInWords(comparison);
  const names = [...rows.map(([target = '']) => target), ...absent.map(([target]) => target)];
  const width = Math.max(0, ...names.map((name) => name.length));
  const [name = '', ...titles] = head;
  return {
    title: `${scenario.name}: ${contenders(paired)
      .map(({ target }) => target)
      .join(', ')}`,
    isTitleHidden: true,
    parts: [
      {
        isAnswer: true,
        blocks: [
          toned.title([...axisAnswer(comparison, scenario), ...answerOf(paired, scenario)].join(' ')),
          ...notesOf(runs[0], scenario).map(toned.doubtful),
        ],
      },
      {
        blocks: [
          ...(rows.length > 0 ? [{ head: [name.padEnd(width), ...titles], rows }] : []),
          ...(absent.length > 0 ? [{ facts: absent, width: width + 2 }] : []),
        ],
      },
      { blocks: ratioThresholdLines(comparison) },
      { title: toned.bad('failed thresholds'), blocks: failedThresholds(runs) },
      thresholdPart(comparison),
      {
        blocks: [
          shapeInWords(comparison, paired, scenario),
          machineInWords(comparison, paired),
          ...(voided === '' ? [] : [toned.doubtful(voided)]),
          ...[...legend, ...(warned === '' ? [] : [warned])].map(toned.aside),
        ],
      },
    ],
    footer: footerOf(comparison),
    suites: runSuites({ kept: comparison, scenario }),
  };
}
