import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { plannedRun } from '../../../test/planned.js';
import type { CommandData, PlainCommand } from '../../commands/command.js';
import { optionsOf } from '../../options/option.js';
import { loadSchema } from '../../run/plan/length.js';
import { runSchema } from '../../run/plan/plan.js';
import { targetOptions, watchOptions } from '../../run/plan/run-options.js';
import { scenarios } from '../../scenarios/list.js';
import { targets } from '../../targets/list.js';
import { commands } from '../commands.js';
import { addFlags, groupsOf } from './flags.js';
import { examplesOf } from './scenario-command.js';

describe.each(scenarios)('the help of run $name', (scenario) => {
  const schema = runSchema(scenario).extend(watchOptions.shape);
  const groups = groupsOf(schema, loadSchema(scenario));
  const of = (heading: string): string[] => [...groups].filter(([, each]) => each === heading).map(([key]) => key);

  it('has every option under one heading, those of the scenario under that of the load', () => {
    expect([...groups.keys()].sort()).toEqual(Object.keys(schema.shape).sort());
    expect(of('Load:')).toEqual(Object.keys(loadSchema(scenario).shape));
    const others = of('More about the target:').filter((key) => !(key in targetOptions.shape));
    expect(others).toEqual(['targetMemoryBytes']);
  });

  it('shows what is loaded first, and what is rarely said last', () => {
    const command = new Command();
    addFlags(command, schema, { groups, isShort: false });
    const help = command.helpInformation();
    const order = ['Target:', 'Load:', 'Thresholds and results:', 'Watch page:', 'Rig:', 'More about the target:'];
    const places = order.map((heading) => help.indexOf(`\n${heading}\n`));
    expect(places.every((place) => place >= 0)).toBe(true);
    expect(places.toSorted((a, b) => a - b)).toEqual(places);
    for (const { flag } of optionsOf(schema))
      expect(help.match(new RegExp(`^  (-[a-z], )?--${flag} `, 'gm'))).toHaveLength(1);
  });

  it('shows the load and what most runs need, and the rest on request', () => {
    const command = new Command();
    addFlags(command, schema, { groups, isShort: true });
    const shown = command.options.filter(({ hidden }) => !hidden).map(({ long }) => long);
    const load = optionsOf(loadSchema(scenario)).map(({ flag }) => `--${flag}`);
    expect(shown).toEqual(expect.arrayContaining(['--target', '--target-url', '--threshold', '--shard', ...load]));
    expect(shown.length).toBeLessThanOrEqual(load.length + 10);
  });

  it('shows options of protocols under their names, and where a call names one, those of no other', () => {
    const shownFor = (protocol: string | undefined, isShort: boolean): string[] => {
      const command = new Command();
      addFlags(command, schema, { groups, protocol, isShort });
      const visible = command.options.filter(({ hidden }) => !hidden);
      return visible.flatMap(({ helpGroupHeading = '' }) =>
        /^Protocol/.test(helpGroupHeading) ? helpGroupHeading : [],
      );
    };
    const all = new Set(shownFor(undefined, false));
    expect([...all]).toEqual(expect.arrayContaining(['Protocol socketio:', 'Protocol pusher:', 'Protocol rails:']));
    expect(shownFor(undefined, true)).toEqual([]);
    for (const isShort of [true, false]) {
      expect(new Set(shownFor('pusher', isShort))).toEqual(new Set(['Protocol pusher:']));
      expect(shownFor('ws-json', isShort)).toEqual([]);
    }
  });

  it('has an example of each kind of target', () => {
    const [, , managed = '', external = ''] = examplesOf(`run ${scenario.name}`, scenario).split('\n');
    const [, target] = / --target ([a-z-]+)$/.exec(managed) ?? [];
    expect(plannedRun(scenario, { flags: { target }, env: {}, file: {} }).target.name).toBe(target);
    expect(external).toContain(' --target-url ws://127.0.0.1:3000/');
    expect(external.includes('--publish-url')).toBe(scenario.publishes);
  });
});

const mostWords = 12;
const loaded = await Promise.all(commands.map(({ load }) => load()));

/** The help of every option, such as `--rate broadcasts per second`. */
const helpsOf = (...schemas: PlainCommand['options'][]): string[] =>
  schemas.flatMap((schema) => (schema ? optionsOf(schema) : []).map(({ flag, help }) => `--${flag} ${help}`));

/** The same of a command, with its arguments, of all its scenarios and subcommands. */
function helpsIn(command: CommandData): string[] {
  if ('commands' in command) return Object.values(command.commands).flatMap(helpsIn);
  if ('scenarios' in command) return command.scenarios.flatMap((scenario) => helpsOf(command.schemaOf(scenario)));
  const { options, flags, load, arguments: positional = [] } = command;
  return [...helpsOf(options, flags, load?.options), ...positional.map(({ form, help }) => `${form} ${help}`)];
}

it(`no help of an option or argument has more than ${mostWords} words`, () => {
  const ofCommands = loaded.flatMap(({ command }) => helpsIn(command));
  const helps = [...new Set([...ofCommands, ...targets.flatMap(({ options }) => helpsOf(options))])];
  expect(helps.filter((line) => line.split(/\s+/).length > 1 + mostWords)).toEqual([]);
  const names = helps.map((line) => line.split(' ')[0]);
  expect(names).toEqual(expect.arrayContaining(['--target-url', '--payload', '--delay', '--resume', '<what>']));
});
