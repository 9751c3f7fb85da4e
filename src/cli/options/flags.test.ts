import { Command } from 'commander';
import { describe, expect, it, vi } from 'vitest';
import type { z } from 'zod';
import { calibrateOptions } from '../../commands/calibrate/calibration-grid.js';
import { reproduceOptions } from '../../commands/reproduce/plan.js';
import { kneeSchema } from '../../commands/search/knee/plan.js';
import { suiteOptions } from '../../commands/suite/options.js';
import { listenOptions } from '../../commands/target/command.js';
import { type Option, optionsOf, variablesOf } from '../../options/option.js';
import { scenarios } from '../../scenarios/list.js';
import { compareSchema, runSchema } from '../../run/plan/plan.js';
import { runnerOptions } from '../../runner/options.js';
import { addFlags, givenFlags } from './flags.js';

/** What `run` and `compare` of every scenario, and all other commands, take. */
const schemas = [
  ['target', listenOptions] as const,
  ['calibrate', calibrateOptions] as const,
  ['knee', kneeSchema] as const,
  ['reproduce', reproduceOptions] as const,
  ['suite run', suiteOptions] as const,
  ['bench-runner', runnerOptions] as const,
  ...scenarios.flatMap((scenario) => [
    [`run ${scenario.name}`, runSchema(scenario)] as const,
    [`compare ${scenario.name}`, compareSchema(scenario)] as const,
  ]),
];

/** What a user types for an option, and what must come of it. */
function typed({ flag, kind }: Option): { args: string[]; value: unknown } {
  if (kind === 'boolean') return { args: [`--${flag}`], value: true };
  if (kind === 'list') return { args: [`--${flag}`, 'one', `--${flag}`, 'two'], value: ['one', 'two'] };
  return { args: [`--${flag}`, '7'], value: '7' };
}

describe.each(schemas)('the flags of %s', (_name, schema) => {
  const parsed = (args: readonly string[]): Record<string, unknown> => {
    const command = new Command().exitOverride();
    addFlags(command, schema);
    command.parse(args, { from: 'user' });
    return givenFlags(command, schema);
  };

  it('are one for every option, which is given under its key', () => {
    for (const option of optionsOf(schema)) {
      const { args, value } = typed(option);
      expect(parsed(args)).toEqual({ [option.key]: value });
    }
  });

  it('of one value take the last of several and say so, unless another command takes several', () => {
    const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    for (const option of optionsOf(schema).filter(({ kind }) => kind !== 'boolean')) {
      const command = new Command().exitOverride();
      addFlags(command, schema);
      said.mockClear();
      const twice = () => command.parse([`--${option.flag}`, '7', `--${option.flag}`, '11'], { from: 'user' });
      if (option.severalIn !== undefined) {
        expect(twice).toThrow(`--${option.flag}:`);
        continue;
      }
      twice();
      const isList = option.kind === 'list';
      expect(givenFlags(command, schema)).toEqual({ [option.key]: isList ? ['7', '11'] : '11' });
      expect([option.key, said.mock.calls.length]).toEqual([option.key, isList ? 0 : 1]);
    }
    said.mockRestore();
  });

  it('may all be given at once, and none', () => {
    const all = optionsOf(schema).map((option) => ({ key: option.key, ...typed(option) }));
    expect(parsed(all.flatMap(({ args }) => args))).toEqual(
      Object.fromEntries(all.map(({ key, value }) => [key, value])),
    );
    expect(parsed([])).toEqual({});
  });

  it('are in the help with their form, default and environment variable', () => {
    const command = new Command();
    addFlags(command, schema);
    const help = command.helpInformation().replaceAll(/\s+/g, ' ');
    for (const option of optionsOf(schema)) {
      const { flag, placeholder, kind, defaultText } = option;
      expect(help).toContain(kind === 'boolean' ? ` --${flag} ` : ` --${flag} <${placeholder}> `);
      const standard = defaultText && kind !== 'boolean' ? `(default: ${defaultText}) ` : '';
      expect(help).toContain(`${standard}[${variablesOf(option).join(' or ')}]`);
    }
  });

  it('take no duration that overflows a timer', () => {
    for (const { key, unit } of optionsOf(schema)) {
      if (unit !== 'duration') continue;
      const field = (schema.shape as Record<string, z.ZodType>)[key];
      expect([key, field?.safeParse(2 ** 31).success]).toEqual([key, false]);
    }
  });

  it('have no switch that is on by default: it could not be turned off', () => {
    const on = optionsOf(schema).filter(({ kind, defaultText }) => kind === 'boolean' && defaultText === 'true');
    expect(on).toEqual([]);
  });
});
