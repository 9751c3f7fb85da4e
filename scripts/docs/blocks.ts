import { loadOptions, protocols, scenarios } from '../../src/contract/catalog.js';
import { exitCodes } from '../../src/contract/exit-codes.js';
import { stopReasons } from '../../src/contract/stop-reasons.js';
import { calibrateOptions } from '../../src/driver/calibrate-options.js';
import { kneeOptions } from '../../src/driver/knee/plan.js';
import {
  compareOptions,
  fleetOptions,
  repeatOptions,
  targetOptions,
  watchOptions,
} from '../../src/driver/run-options.js';
import { optionsTable } from '../../src/options/table.js';
import { formats } from '../../src/report/exports/formats.js';
import { runnerOptions } from '../../src/runner/options.js';
import { targets } from '../../src/targets/list.js';
import { causeKinds } from '../../src/wire/wire.js';
import { verdictRulesHead, verdictRulesRows } from './verdict-rules.js';

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** Every generated block of the pages, by name: projections of what the code declares. */
export const blocks: Readonly<Record<string, () => string>> = {
  ...Object.fromEntries(
    scenarios.flatMap(({ name, options, metrics }) => [
      [`options ${name}`, () => optionsTable(options)],
      [
        `metrics ${name}`,
        () =>
          table(
            ['metric', 'of', 'meaning'],
            Object.entries(metrics).map(([key, metric]) => [`\`${key}\``, metric.of, metric.meaning]),
          ),
      ],
    ]),
  ),
  'options load': () => optionsTable(loadOptions),
  'options target': () => optionsTable(targetOptions),
  'options run': () => optionsTable(repeatOptions),
  'options watch': () => optionsTable(watchOptions),
  'options compare': () => optionsTable(compareOptions),
  'options calibrate': () => optionsTable(calibrateOptions),
  'options knee': () => optionsTable(kneeOptions),
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
