import { readFileSync } from 'node:fs';
import { formOf } from '../../src/cli/options/flags.js';
import { calibrateOptions } from '../../src/commands/calibrate/calibration-grid.js';
import type { PlainCommand } from '../../src/commands/command.js';
import { command as diff } from '../../src/commands/diff/command.js';
import { command as exportCommand } from '../../src/commands/export/command.js';
import { command as history } from '../../src/commands/history/command.js';
import { command as report } from '../../src/commands/report/command.js';
import { ownReproduceOptions } from '../../src/commands/reproduce/options.js';
import { kneeOptions } from '../../src/commands/search/knee/plan.js';
import { command as show } from '../../src/commands/show/command.js';
import { command as suite } from '../../src/commands/suite/command.js';
import { suiteOptions } from '../../src/commands/suite/options.js';
import { listenOptions } from '../../src/commands/target/command.js';
import { exitCodes } from '../../src/contract/exit-codes.js';
import { stopReasons } from '../../src/contract/stop-reasons.js';
import { optionsOf } from '../../src/options/option.js';
import { optionsTable } from '../../src/options/table.js';
import { protocols } from '../../src/protocols/list.js';
import { formats } from '../../src/render/exports/formats.js';
import {
  compareOptions,
  findOptions,
  fleetOptions,
  repeatOptions,
  targetOptions,
  watchOptions,
} from '../../src/run/plan/run-options.js';
import { runnerOptions } from '../../src/runner/options.js';
import { scenarios } from '../../src/scenarios/list.js';
import { loadOptions } from '../../src/scenarios/load-options.js';
import type { Scenario } from '../../src/scenarios/scenario.js';
import { targets } from '../../src/targets/list.js';
import { causeKinds } from '../../src/wire/wire.js';
import { output } from './output.js';
import { top } from './pages.js';
import { verdictRulesHead, verdictRulesRows } from './verdict-rules.js';

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** The commands that read kept results, with the flags that only they have. */
const readers: Readonly<Record<string, PlainCommand>> = {
  ...{ show, report, export: exportCommand, diff, history },
  ...Object.fromEntries(Object.entries(suite.commands).map(([name, each]) => [`suite ${name}`, each])),
};

function readerFlags(): string[][] {
  return Object.entries(readers).flatMap(([name, { flags }]) =>
    (flags ? optionsOf(flags) : []).map((each) => [`\`${name}\``, `\`${formOf(each)}\``, each.help]),
  );
}

function metricsTable({ metrics }: Scenario): string {
  return table(
    ['metric', 'of', 'meaning'],
    Object.entries(metrics).map(([key, { of, meaning }]) => [`\`${key}\``, of, meaning]),
  );
}

/** The scenarios that docs/scenarios.md describes by hand; all others get a generated section. */
const byHand = readFileSync(`${top}docs/scenarios.md`, 'utf8').replace(
  /<!-- generated: further[\s\S]*?<!-- end -->/,
  '',
);
const described = scenarios.filter(({ name }) => byHand.includes(`\n## ${name}\n`));

function sectionOf(scenario: Scenario): string {
  const { name, question, summary, options } = scenario;
  return [
    ...[`## ${name}`, question, `It measures ${summary}.`],
    ...[`### Metrics of ${name}`, metricsTable(scenario), `### Options of ${name}`, optionsTable(options)],
  ].join('\n\n');
}

/** Every generated block of the pages, by name: projections of what the code declares. */
export const blocks: Readonly<Record<string, () => string>> = {
  ...Object.fromEntries(
    described.flatMap((scenario) => [
      [`options ${scenario.name}`, () => optionsTable(scenario.options)],
      [`metrics ${scenario.name}`, () => metricsTable(scenario)],
    ]),
  ),
  'scenario index': () =>
    table(
      ['scenario', 'question'],
      scenarios.map(({ name, question }) => [`[\`${name}\`](#${name})`, question]),
    ),
  'further scenarios': () =>
    scenarios
      .filter((each) => !described.includes(each))
      .map(sectionOf)
      .join('\n\n'),
  scenarios: () =>
    table(
      ['scenario', 'question', 'headline figures'],
      scenarios.map(({ name, question, headline }) => [
        `[\`${name}\`](docs/scenarios.md#${name})`,
        question,
        headline.map(({ title }) => title).join(', '),
      ]),
    ),
  servers: () =>
    table(
      ['protocol', 'managed targets', 'library client'],
      protocols.map(({ name, library }) => [
        `\`${name}\``,
        targets
          .filter(({ protocol }) => protocol === name)
          .map((target) => `\`${target.name}\``)
          .join(', ') || '–',
        `\`${library}\``,
      ]),
    ),
  'options load': () => optionsTable(loadOptions),
  'options target': () => optionsTable(targetOptions),
  'options run': () => optionsTable(repeatOptions),
  'options watch': () => optionsTable(watchOptions),
  'options compare': () => optionsTable(compareOptions),
  'options calibrate': () => optionsTable(calibrateOptions),
  'options knee': () => optionsTable(kneeOptions),
  'options find': () => optionsTable(findOptions),
  'options listen': () => optionsTable(listenOptions),
  'options reproduce': () => optionsTable(ownReproduceOptions),
  'options suite': () => optionsTable(suiteOptions),
  'flags of kept results': () => table(['command', 'flag', 'meaning'], readerFlags()),
  'options fleet': () => optionsTable(fleetOptions),
  'options bench-runner': () => optionsTable(runnerOptions),
  targets: () =>
    table(
      ['target', 'protocol', 'what it is'],
      targets.map(({ name, protocol, summary }) => [`\`${name}\``, `\`${protocol}\``, summary]),
    ),
  protocols: () =>
    table(
      ['protocol', 'library client', 'what it is'],
      protocols.map(({ name, library, summary }) => [`\`${name}\``, `\`${library}\``, summary]),
    ),
  'kept run': () => output('show', 'results/kept/2026-11-22T07-56-31Z-latency-socketio-4aed83af'),
  'exit codes': () =>
    table(
      ['code', 'means'],
      Object.values(exitCodes).map(({ code, means }) => [String(code), means]),
    ),
  'stop reasons': () =>
    table(
      ['stop reason', 'means'],
      Object.values(stopReasons).map(({ title, means }) => [title, means]),
    ),
  'export formats': () =>
    table(
      ['format', 'file', 'of', 'what it holds'],
      formats.map(({ name, suffix, of, holds }) => [
        `\`${name}\``,
        `\`${suffix}\``,
        of === 'run' ? 'a run' : 'a run or comparison',
        holds,
      ]),
    ),
  'verdict rules': () => table(verdictRulesHead, verdictRulesRows()),
  causes: () =>
    table(
      ['cause', 'means'],
      Object.entries(causeKinds).map(([kind, means]) => [`\`${kind}\``, means]),
    ),
};
