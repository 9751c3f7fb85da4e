import { describe, expect, it } from 'vitest';
import { workerOnStage } from '../../test/stage/worker-on-stage.js';
import { blocksOf } from '../measure/samples/blocks.js';
import { MarkTable } from '../measure/samples/mark-table.js';
import { optionsOf } from '../options/option.js';
import { protocols } from '../protocols/list.js';
import { MarkBook } from './books/mark-book.js';
import { flowOptions, slicesOf } from './flow/options.js';
import { scenarioByName, scenarios } from './list.js';
import { loadOptions } from './load-options.js';
import { nothingToReport, type Role } from './scenario.js';

/** A role that runs no module, with the book of one. */
async function roleOfFlow(context: Parameters<(typeof scenarios)[number]['audience']>[0]): Promise<Role> {
  const slices = slicesOf(flowOptions.parse({ durationMs: 7000 }));
  const report = () => new MarkBook({ ...context, table: new MarkTable(1024), slices }).report();
  return {
    stage: async () => undefined,
    progress: () => ({}),
    report: () => ({ ...nothingToReport, ...report() }),
  };
}

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
    const needs = scenario.needs(scenario.options.parse({}));
    const able = protocols.filter(({ verbs }) => needs.every((verb) => verbs.includes(verb)));
    expect(able).not.toEqual([]);
  });

  it('declares all that it records, and calls no series like a metric', async () => {
    const options = scenario.options.parse({});
    const { broadcasts, clients } = scenario.demand(options, loadOptions.parse({}));
    const { context, clock } = workerOnStage(options, { broadcasts, totalClients: clients });
    const publish = async (): Promise<number> => 201;
    const roles = await Promise.all([
      scenario.audience({ ...context, marks: new MarkTable(1024), flow: () => roleOfFlow(context) }),
      scenario.publisher({ ...context, until: clock.until, publish, payload: String }),
    ]);
    const reports = roles.map((role) => role.report());
    const series = reports.flatMap((report) => Object.keys(report.series));
    const recorded = Object.keys(reports[0]?.samples ?? {}).filter((name) => !/Step\d+$/.test(name));
    expect(recorded.filter((name) => !(name in scenario.metrics))).toEqual([]);
    expect(series.filter((name) => name in scenario.metrics)).toEqual([]);
    for (const [metric, { stage }] of Object.entries(scenario.blockTimes?.(options) ?? {})) {
      expect(series).toContain(blocksOf(metric));
      expect(Object.keys(scenario.metrics)).toContain(metric);
      expect(scenario.stages.map(({ name }) => name)).toContain(stage);
    }
  });

  it('has every column of its scoreboard in its ledger or among its metrics', () => {
    const { entries } = scenario.ledger({ counts: {}, causes: {}, series: {}, timeline: {} });
    for (const column of scenario.headline) {
      if (column.kind === 'figure') expect(scenario.metrics).toHaveProperty(column.metric);
      if (column.kind === 'count') expect(entries).toHaveProperty(column.entry);
      if (column.kind === 'share')
        expect(Object.keys(entries)).toEqual(expect.arrayContaining([column.part, column.whole]));
    }
  });

  it('has clients that come and go, or says why not', () => {
    const hasStages = optionsOf(scenario.options).some(({ flag }) => flag === 'stages');
    expect(scenario.without?.stages !== undefined).toBe(!hasStages);
    // All clients of a flow arrive while its load goes on.
    expect(scenario.arriving !== undefined).toBe(hasStages || scenario.name === 'flow');
  });

  it('says what each metric means, and whose it is', () => {
    for (const { meaning, of } of Object.values(scenario.metrics)) {
      expect(meaning).toMatch(/^\S.+\S$/);
      expect(['target', 'rig']).toContain(of);
    }
  });
});
