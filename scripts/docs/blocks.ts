import { readFileSync } from 'node:fs';
import type { ZodObject } from 'zod';
import { formOf } from '../../src/cli/options/flags.js';
import { calibrateOptions } from '../../src/commands/calibrate/calibration-grid.js';
import type { PlainCommand } from '../../src/commands/command.js';
import { command as diff } from '../../src/commands/diff/command.js';
import { drillOptions } from '../../src/commands/drill/command.js';
import { command as exportCommand } from '../../src/commands/export/command.js';
import { statusOptions } from '../../src/commands/fleet/command.js';
import { command as history } from '../../src/commands/history/command.js';
import { inMb, installOptions } from '../../src/commands/install/command.js';
import { command as report } from '../../src/commands/report/command.js';
import { ownReproduceOptions } from '../../src/commands/reproduce/plan.js';
import { kneeOptions } from '../../src/commands/search/knee/plan.js';
import { command as show } from '../../src/commands/show/command.js';
import { command as suite, suiteOptions } from '../../src/commands/suite/command.js';
import { listenOptions } from '../../src/commands/target/command.js';
import { exitCodes } from '../../src/contract/exit-codes.js';
import { stopReasons } from '../../src/contract/stop-reasons.js';
import { verdictRules } from '../../src/measure/verdict/verdict.js';
import { optionsOf } from '../../src/options/option.js';
import { protocols } from '../../src/protocols/list.js';
import { terminalText } from '../../src/render/document/terminal.js';
import { formats } from '../../src/render/exports.js';
import { runDocument } from '../../src/render/run.js';
import { fold } from '../../src/render/words/table.js';
import { runResult } from '../../src/results/result.js';
import { loadSchema } from '../../src/run/plan/length.js';
import {
  compareOptions,
  findOptions,
  fleetOptions,
  leaveOptions,
  pairedOptions,
  repeatOptions,
  targetOptions,
  watchOptions,
} from '../../src/run/plan/run-options.js';
import { sources } from '../../src/run/shards/sources/list.js';
import { runnerOptions } from '../../src/runner/allow-list.js';
import { scenarioByName, scenarios } from '../../src/scenarios/list.js';
import { loadOptions } from '../../src/scenarios/load-options.js';
import type { Scenario } from '../../src/scenarios/scenario.js';
import { needUsers, targets } from '../../src/targets/list.js';
import { needs } from '../../src/targets/needs/list.js';
import { isFilled, type Need } from '../../src/targets/needs/need.js';
import { causeKinds } from '../../src/wire/wire.js';
import { top } from './fences.js';
import { code, keptReproductions, optionsTable, outcome, outcomesTable, table } from './tables.js';

/** Holds the commands that read kept results. */
const readers: Readonly<Record<string, PlainCommand>> = {
  ...{ show, report, export: exportCommand, diff, history },
  ...Object.fromEntries(Object.entries(suite.commands).map(([name, each]) => [`suite ${name}`, each])),
};

/** Lists each flag that only one of them has, with the name of its command. */
const readerFlags = Object.entries(readers).flatMap(([name, { flags }]) =>
  (flags ? optionsOf(flags) : []).map((each) => [name, each] as const),
);

/** Formats the metrics of a scenario. A lower end has no row of its own: it stands beside its metric. */
function metricsTable({ metrics }: Scenario): string {
  const lowerEnds = new Set(Object.values(metrics).map(({ atLeast }) => atLeast));
  return table(
    Object.entries(metrics).filter(([key]) => !lowerEnds.has(key)),
    {
      metric: ([key]) => code(key),
      of: ([, { of }]) => of,
      meaning: ([, { meaning }]) => meaning,
      'lower end': ([, { atLeast }]) => (atLeast === undefined ? '' : code(atLeast)),
    },
  );
}

function keptRun(): string {
  const file = `${top}results/kept/2026-11-22T07-56-31Z-latency-socketio-4aed83af/result.json`;
  const result = runResult.parse(JSON.parse(readFileSync(file, 'utf8')));
  const [document, columns] = [runDocument(result, scenarioByName(result.scenario)!), 120];
  const text = fold(terminalText(document, { isColored: false, columns }, true), columns);
  return `\`\`\`text\n${text}\n\`\`\``;
}

/** The scenarios that docs/scenarios.md describes by hand. All others get a generated section. */
const byHand = readFileSync(`${top}docs/scenarios.md`, 'utf8').replace(
  /<!-- generated: further[\s\S]*?<!-- end -->/,
  '',
);
const described = scenarios.filter(({ name }) => byHand.includes(`\n## ${name}\n`));

function sectionOf({ name, question, summary }: Scenario): string {
  return [`## ${name}`, question, `It measures ${summary}. [Reference](reference.md#${name})`].join('\n\n');
}

function referenceOf(scenario: Scenario): string {
  return [`### ${scenario.name}`, optionsTable(loadSchema(scenario)), metricsTable(scenario)].join('\n\n');
}

/** Maps the name of each options block to the schema whose options the pages show. */
const shownOptions: Readonly<Record<string, ZodObject>> = {
  ...{
    load: loadOptions,
    target: targetOptions,
    run: repeatOptions,
    watch: watchOptions,
    leave: leaveOptions,
    compare: compareOptions,
  },
  ...{
    calibrate: calibrateOptions,
    knee: kneeOptions,
    find: findOptions,
    listen: listenOptions,
    drill: drillOptions,
  },
  ...{
    reproduce: ownReproduceOptions,
    suite: suiteOptions,
    paired: pairedOptions,
    fleet: fleetOptions,
    ...{ 'fleet status': statusOptions, install: installOptions },
    'bench-runner': runnerOptions,
  },
};

function targetsOf(protocol: string): string {
  const names = targets.filter((target) => target.protocol === protocol).map(({ name }) => code(name));
  return names.join(', ') || '–';
}

function systemOf({ system = [], filling }: Need): string[] {
  const parts = [...(filling?.system ?? []), ...system];
  return [...new Set(parts.flatMap(({ name, debian }) => debian?.split(' ') ?? [name]))];
}

const reproductions = keptReproductions(`${top}results/kept`);

/** Maps the name of every generated block to its function. The blocks are generated from declarations in the code. */
export const blocks: Readonly<Record<string, () => string>> = {
  ...Object.fromEntries(Object.entries(shownOptions).map(([name, of]) => [`options ${name}`, () => optionsTable(of)])),
  'scenario reference': () => scenarios.map(referenceOf).join('\n\n'),
  'scenario index': () =>
    table(scenarios, { scenario: ({ name }) => `[\`${name}\`](#${name})`, question: ({ question }) => question }),
  'further scenarios': () =>
    scenarios
      .filter((each) => !described.includes(each))
      .map(sectionOf)
      .join('\n\n'),
  'scenarios with stages': () =>
    table(
      scenarios.flatMap(({ name, options }) =>
        optionsOf(options).flatMap((option) => (option.key === 'stages' ? { name, option } : [])),
      ),
      {
        scenario: ({ name }) => code(name),
        default: ({ option: { defaultText } }) => (defaultText === undefined ? '' : code(defaultText)),
        meaning: ({ option: { help } }) => help,
      },
    ),
  'scenarios without stages': () =>
    table(
      scenarios.flatMap(({ name, without }) => (without?.stages === undefined ? [] : { name, why: without.stages })),
      { scenario: ({ name }) => code(name), 'why not': ({ why }) => why },
    ),
  scenarios: () =>
    table(scenarios, {
      scenario: ({ name }) => `[\`${name}\`](docs/scenarios.md#${name})`,
      question: ({ question }) => question,
      'headline figures': ({ headline }) => headline.map(({ title }) => title).join(', '),
    }),
  'flags of kept results': () =>
    table(readerFlags, {
      command: ([name]) => code(name),
      flag: ([, flag]) => code(formOf(flag)),
      meaning: ([, flag]) => flag.help,
    }),
  'shard sources': () =>
    table(sources, {
      source: ({ name, argument: { word, isNeeded } }) => code(isNeeded ? `${name}:${word}` : `${name}[:${word}]`),
      asks: ({ asks }) => asks,
      argument: ({ argument: { means } }) => means,
    }),
  targets: () =>
    table(targets, {
      target: ({ name }) => code(name),
      protocol: ({ protocol }) => code(protocol),
      'what it is': ({ summary }) => summary,
    }),
  installs: () =>
    table(needs, {
      name: ({ name }) => code(name),
      brings: ({ title }) => title,
      for: (need) => needUsers(need).map(code).join(', '),
      download: (need) => inMb(isFilled(need) ? need.megabytes.download : undefined),
      'on disk': (need) => inMb(isFilled(need) ? need.megabytes.disk : undefined),
      'of the system': (need) => systemOf(need).map(code).join(', '),
    }),
  protocols: () =>
    table(protocols, {
      protocol: ({ name }) => code(name),
      'what it is': ({ summary }) => summary,
      'library client': ({ library }) => code(library),
      'managed targets': ({ name }) => targetsOf(name),
    }),
  'kept run': keptRun,
  outcomes: () => outcomesTable(reproductions.values()),
  ...Object.fromEntries([...reproductions].map(([at, made]) => [`outcome ${made.table.id}`, () => outcome(at, made)])),
  'exit codes': () =>
    table(Object.values(exitCodes), { code: ({ code }) => String(code), means: ({ means }) => means }),
  'stop reasons': () =>
    table(Object.values(stopReasons), { 'stop reason': ({ title }) => title, means: ({ means }) => means }),
  'export formats': () =>
    table(formats, {
      format: ({ name }) => code(name),
      file: ({ suffix }) => code(suffix),
      'what it holds': ({ holds }) => holds,
    }),
  'verdict rules': () =>
    table(verdictRules, {
      rule: ({ rule }) => code(rule),
      verdict: ({ level }) => (level === 'figure' ? 'bounds figures' : level),
      'applies from': ({ threshold }) => threshold,
      because: ({ reason }) => reason,
    }),
  causes: () => table(Object.entries(causeKinds), { cause: ([kind]) => code(kind), means: ([, means]) => means }),
};
