import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { optionsOf } from '../../options/option.js';
import { planRun, runSchema } from '../../run/plan/plan.js';
import { targetOptions, watchOptions } from '../../run/plan/run-options.js';
import { scenarios } from '../../scenarios/list.js';
import { addFlags } from './flags.js';
import { examplesOf, groupsOf } from './scenario-command.js';

describe.each(scenarios)('the help of run $name', (scenario) => {
  const schema = runSchema(scenario).extend(watchOptions.shape);
  const groups = groupsOf(schema, scenario.options);
  const of = (heading: string): string[] => [...groups].filter(([, each]) => each === heading).map(([key]) => key);

  it('has every option under one heading, those of the scenario under that of the load', () => {
    expect([...groups.keys()].sort()).toEqual(Object.keys(schema.shape).sort());
    expect(of('Load:')).toEqual(Object.keys(scenario.options.shape));
    const others = of('More about the target:').filter((key) => !(key in targetOptions.shape));
    expect(others).toEqual(['targetMemoryBytes']);
  });

  it('shows what is loaded first, and what is rarely said last', () => {
    const command = new Command();
    addFlags(command, schema, groups);
    const help = command.helpInformation();
    const order = ['Target:', 'Load:', 'Thresholds and results:', 'Watch page:', 'Rig:', 'More about the target:'];
    const places = order.map((heading) => help.indexOf(`\n${heading}\n`));
    expect(places.every((place) => place >= 0)).toBe(true);
    expect(places.toSorted((a, b) => a - b)).toEqual(places);
    for (const { flag } of optionsOf(schema)) expect(help.match(new RegExp(`^  --${flag} `, 'gm'))).toHaveLength(1);
  });

  it('has an example of each kind of target', () => {
    const [, , managed = '', external = ''] = examplesOf(`run ${scenario.name}`, scenario).split('\n');
    const [, target] = / --target ([a-z-]+)$/.exec(managed) ?? [];
    expect(planRun(scenario, { flags: { target }, env: {}, file: {} }).target.name).toBe(target);
    expect(external).toContain(' --target-url ws://127.0.0.1:3000/');
    expect(external.includes('--publish-url')).toBe(scenario.publishes);
  });
});
