import { stopInWords } from '../contract/stop-reasons.js';
import type { Declaration } from '../measure/declaration.js';
import { headlineValue } from '../results/figures.js';
import { resultViewOf, seriesIn } from '../results/over-time/readings.js';
import { holdsOf, isPlannedEnd, type RunResult } from '../results/result.js';
import { type Document, type Facts, type Line, toned } from './document/document.js';
import { runSuites } from './junit.js';
import { headlineTable, runDetails } from './run-details.js';
import { answerInWords, fixOf } from './words/answer.js';
import { attachedInWords, enginesInWords, notesOf, talkLines, wayInWords } from './words/notes.js';
import { statementMarks, statementTones } from './words/statement.js';
import { milliseconds, optionsInWords, seriesInWords, thresholdInWords, valueInWords } from './words/values.js';
import { boundTexts, runWords, saidOf, trustInWords, verdictInWords } from './words/verdict-words.js';

/** Returns the document of one run. In brief, it has the answer, its figures and the verdict. */
export function runDocument(result: RunResult, scenario: Declaration): Document {
  const { fingerprint, tool, verdict, thresholds, metrics } = result;
  const isVoid = verdict.rig === 'void';
  const figures = scenario.figureLines?.(metrics, result.ledger, milliseconds, resultViewOf(result)) ?? [];
  const judged = thresholds.map((threshold): Fact => ['threshold', thresholdLine(threshold, metrics)]);
  return {
    title: titleOf(result),
    parts: [
      { blocks: header(result, scenario) },
      {
        isAnswer: true,
        blocks: [...answerLines(result, scenario), ...factsOf(stopFacts(result, scenario))],
      },
      { blocks: figures.length > 0 && !isVoid ? [{ aligned: figures }] : [] },
      { only: 'brief', blocks: isVoid ? [] : headlineTable(result, scenario) },
      { isJoined: true, blocks: isVoid ? [] : countLine(result, scenario) },
      {
        isAnswer: true,
        isJoined: true,
        blocks: isVoid ? [] : factsOf([...verdictFacts(result, scenario), ...seriesFacts(result), ...judged]),
      },
      { only: 'whole', isJoined: true, folded: 'Marks', blocks: factsOf(boundFacts(result)) },
      ...runDetails(result, scenario).map((part) => ({ ...part, only: 'whole' as const })),
    ],
    footer: [`shape ${fingerprint}`, `ringside ${tool.version}`],
    suites: runSuites({ kept: result, scenario }),
  };
}

/** Returns the sentences of the answer. The one before them, that others held the target's cores, is no title. */
function answerLines(result: RunResult, scenario: Declaration): Line[] {
  const isStarved = saidOf(result, scenario) === 'starved';
  return answerInWords(result, scenario).map((text, n) => toned[isStarved && n === 0 ? 'doubtful' : 'title'](text));
}

type Fact = Facts['facts'][number];

const factsWidth = 11;

function factsOf(facts: readonly Fact[]): Facts[] {
  return facts.length > 0 ? [{ facts, width: factsWidth }] : [];
}

function titleOf(result: RunResult): Line {
  const { scenario: name, target } = result;
  const versions = Object.entries(target.versions).map(([each, version]) => `${each} ${version}`);
  const engines = enginesInWords(result);
  return [
    toned.title(`${name}  ${target.name}`),
    `${versions.length > 0 ? `  (${versions.join(', ')})` : ''}${engines === '' ? '' : `  ${engines}`}`,
  ];
}

/** Messages of the user's own can fill a screen. */
const longestSetting = 40;

function header(result: RunResult, scenario: Declaration): Line[] {
  const { target, job } = result;
  const settings = Object.entries(target.settings).map(([each, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return `${each}=${text.length > longestSetting ? `${text.slice(0, longestSetting)}…` : text}`;
  });
  const shardsInWords = `${job.shards} shard${job.shards > 1 ? 's' : ''} · ${wayInWords(result).join(' · ')}`;
  return [
    `${optionsInWords(scenario, job.options)} · ${target.client} clients · ${shardsInWords}`,
    ...(settings.length > 0 ? [toned.aside(`target options: ${settings.join(', ')}`)] : []),
    ...(target.client === 'library' && 'wait' in scenario.metrics
      ? [toned.aside('this client library does not reconnect by itself: Ringside decides when')]
      : []),
  ];
}

const named = (name: string, lines: readonly Line[]): Fact[] => lines.map((line, n) => [n === 0 ? name : '', line]);

/** States how a run ended that did not go to its planned end, and of a void run what happened and the fix. */
function stopFacts(result: RunResult, scenario: Declaration): Fact[] {
  const { stop, verdict } = result;
  const isVoid = verdict.rig === 'void';
  const isWhole = isPlannedEnd(stop.code, scenario);
  const grave = verdict.evidence.filter(({ level }) => level === 'void');
  const happened = isWhole ? grave.map(({ rule, text }) => `${rule}: ${text}`).join('; ') : stopInWords(stop);
  if (isVoid)
    return [
      ['verdict', toned.bad(`VOID: ${happened}`)],
      ...named('', talkLines(result)),
      ['fix', stop.advice ?? fixOf(result)],
    ];
  const isSaid = stop.code === 'completed' || verdictInWords(result, scenario).startsWith(stopInWords(stop));
  return [
    ...(isSaid ? [] : named('stop', [stopInWords(stop), ...(stop.advice === undefined ? [] : [stop.advice])])),
    ...named('talk', talkLines(result)),
  ];
}

function verdictFacts(result: RunResult, scenario: Declaration): Fact[] {
  const { verdict } = result;
  return [
    ['verdict', { text: verdictInWords(result, scenario), tone: runWords[saidOf(result, scenario)].tone }],
    ...verdict.evidence.map(({ rule, text }): Fact => ['', `${rule}: ${text}`]),
    ...notesOf(result, scenario).map((text): Fact => ['note', toned.doubtful(text)]),
  ];
}

/** States the figures of each `--series`, and why one has no readings. */
function seriesFacts({ environment }: RunResult): Fact[] {
  const figures = seriesIn(environment);
  const lines = environment.observations.flatMap(({ name, process = '', unit, points, endedBecause = '' }) => {
    const own = figures[process];
    if (name !== 'query' || (!own && points.length > 0)) return [];
    if (!own) return toned.doubtful(`${process}: no value, ${endedBecause}`);
    return Object.entries(own).reduce(
      (text, [figure, value]) => `${text}  ${figure} ${seriesInWords(value, unit === 'bytes')}`,
      process,
    );
  });
  return named('series', [...new Set(lines)]);
}

function boundFacts({ verdict, environment }: RunResult): Fact[] {
  const { trust } = environment;
  const trustTone = { inside: 'plain', beyond: 'doubtful', untried: 'aside', uncalibrated: 'aside' } as const;
  return [
    ...boundTexts(verdict).map((text): Fact => ['bound', text]),
    ...(trust ? named('machine', [{ text: trustInWords(trust), tone: trustTone[trust.place] }]) : []),
    ...named('driver', attachedInWords(environment).map(toned.aside)),
  ];
}

/** Returns the counts and shares of the headline in a line. A share of all is left out: the sentence says it. */
function countLine(result: RunResult, scenario: Declaration): Line[] {
  const counts = scenario.headline.flatMap((column) => {
    const value = column.kind === 'figure' ? null : headlineValue(column, result);
    const isAll = column.kind === 'share' && value === 1;
    return value === null || isAll ? [] : [`${column.title} ${valueInWords(column.kind, value)}`];
  });
  return counts.length > 0 ? [counts.join(' · ')] : [];
}

export function thresholdLine(threshold: RunResult['thresholds'][number], metrics: RunResult['metrics']): Line {
  const holds = holdsOf(threshold);
  const mark = { text: statementMarks[holds], tone: statementTones[holds] };
  return [mark, ' ', toned.code(threshold.text), `  (${thresholdInWords(threshold, metrics)})`];
}
