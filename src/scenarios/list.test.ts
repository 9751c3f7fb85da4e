import { describe, expect, it } from 'vitest';
import { optionsOf } from '../options/option.js';
import { protocols } from '../protocols/list.js';
import { scenarioByName, scenarios } from './list.js';
import { loadOptions } from './load-options.js';

describe.each(scenarios)('scenario $name', (scenario) => {
  it('is found by its name', () => {
    expect(scenarioByName(scenario.name)).toBe(scenario);
    expect(scenarioByName(`${scenario.name}s`)).toBeUndefined();
  });

  it('has a default for every option, and none that is called like a load option', () => {
    expect(scenario.options.safeParse({}).success).toBe(true);
    const flags = [...optionsOf(scenario.options), ...optionsOf(loadOptions)].map(({ flag }) => flag);
    expect(new Set(flags).size).toBe(flags.length);
  });

  it('can be run by a protocol', () => {
    const able = protocols.filter(({ verbs }) => scenario.needs.every((verb) => verbs.includes(verb)));
    expect(able).not.toEqual([]);
  });

  it('says what each metric means, and whose it is', () => {
    for (const { meaning, of } of Object.values(scenario.metrics)) {
      expect(meaning).toMatch(/^\S.+\S$/);
      expect(['target', 'rig']).toContain(of);
    }
  });
});
