import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { optionsOf } from '../options/option.js';
import { resolveOptions } from '../options/resolve.js';
import { scenarios } from '../scenarios/list.js';
import { ofStep } from '../scenarios/steps/loop.js';
import { targetByName, targets } from '../targets/list.js';
import { runtimes } from '../targets/needs/list.js';
import { type PublishedFile, publishedFile, tablesOf } from './published.js';

const folder = fileURLToPath(new URL('../../results/published/', import.meta.url));
const names = readdirSync(folder);
const read = (name: string): PublishedFile => publishedFile.parse(JSON.parse(readFileSync(`${folder}${name}`, 'utf8')));
const files = names.map(read);

/** Loads that are commands of their own. */
const others = ['knee'];

it('takes of its own method what a table tells, and all else from its source', () => {
  const file = read('nodejs-websocket-bench.json');
  const of = (name: string) => tablesOf(file).find(({ id }) => id === name)?.method;
  expect(of('bench-latency-1k')).toEqual(file.method);
  expect(of('bench-throughput-10k')).toEqual({ ...file.method, publisher: expect.stringContaining('pool of 16') });
  expect(of('bench-idle-1m')?.publisher).toContain('nothing is published');
});

/** How a source may write a value: with or without thousands, with up to two decimals, in thousands or millions. */
function formsOf(value: number): string[] {
  return [`${value}`, value.toFixed(1), value.toFixed(2), `${value / 1000}k`, `${value / 1_000_000}m`];
}

it('the published figures are one file for each source', () => {
  expect(names.sort()).toEqual(files.map(({ source }) => `${source.id}.json`).sort());
});

it('the published figures have ids that no other table or figure has', () => {
  const ids = files.flatMap(({ tables }) =>
    tables.flatMap(({ id, figures }) => [id, ...figures.map((each) => each.id)]),
  );
  expect(ids.length).toBeGreaterThan(900);
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
});

it('the published figures are as many as the page on reproducing says', () => {
  const figures = files.flatMap(({ tables }) => tables.flatMap((table) => table.figures));
  const page = readFileSync(fileURLToPath(new URL('../../docs/reproduce.md', import.meta.url)), 'utf8');
  expect(page).toContain(`holds ${figures.length} published figures from six sources`);
  expect(files).toHaveLength(6);
});

it('the published figures hold the steps of the shootout whole: four figures of ten steps of thirteen servers', () => {
  const figures = read('websocket-shootout.json').tables.flatMap((table) => table.figures);
  const inSteps = figures.filter(({ metric }) => metric.includes('Step'));
  expect(inSteps).toHaveLength(4 * 10 * 13);
  for (const { metric, value, quote } of inSteps) {
    const step = Number(/Step(\d+)/.exec(metric)?.[1]);
    const figure = metric.slice(metric.indexOf('.') + 1);
    expect(metric).toBe(`${ofStep('roundTrip', step)}.${figure}`);
    const label = { p95: '95per-rtt', min: 'min-rtt', p50: 'median-rtt', max: 'max-rtt' }[figure];
    expect(quote).toContain(`clients: ${step * 1000} `);
    expect(quote).toContain(`${label}: ${value}ms`);
  }
});

describe.each(files)('$source.id', (file) => {
  it('quotes each value where it stands', () => {
    for (const { id, value, quote } of file.tables.flatMap((table) => table.figures)) {
      const text = quote.replaceAll(',', '').toLowerCase();
      expect(
        formsOf(value).some((form) => text.includes(form)),
        `${id}: ${value} in “${quote}”`,
      ).toBe(true);
    }
  });

  it('names targets that are ours, or says what stands for them, or what they are', () => {
    const ours = targets.map(({ name }) => name);
    const { contenders, elsewhere } = file;
    const named = new Set(file.tables.flatMap((table) => table.figures.map(({ target }) => target)));
    const told = [...ours, ...Object.keys(contenders), ...Object.keys(elsewhere)];
    expect([...named].filter((name) => !told.includes(name))).toEqual([]);
    const renamed = Object.keys(contenders);
    expect([...renamed, ...Object.keys(elsewhere)].filter((name) => !named.has(name))).toEqual([]);
    expect(Object.keys(elsewhere).filter((name) => ours.includes(name) || renamed.includes(name))).toEqual([]);
  });

  it('runs contenders on targets, runtimes and options that are ours', () => {
    for (const [name, { target, runtime, processes = 1, options = {} }] of Object.entries(file.contenders)) {
      const found = targetByName(target);
      expect(found, `${name}: ${target}`).toBeDefined();
      expect(found?.maxProcesses, name).toBeGreaterThanOrEqual(processes);
      if (runtime !== undefined)
        expect(
          runtimes.map((each) => each.name),
          name,
        ).toContain(runtime);
      const flags = found?.options ? optionsOf(found.options).map(({ flag }) => flag) : [];
      expect(
        Object.keys(options).filter((option) => !flags.includes(option)),
        name,
      ).toEqual([]);
    }
  });

  it('gives shapes that the scenarios understand', () => {
    for (const { id, scenario: name, parameters } of file.tables) {
      const scenario = scenarios.find((each) => each.name === name);
      if (!scenario) expect(others, id).toContain(name);
      else expect(resolveOptions(scenario.options, { file: parameters }), id).toMatchObject({ ok: true });
    }
  });

  it('gives metrics that a run has where they are written as ours', () => {
    for (const { scenario: name, figures } of file.tables) {
      const scenario = scenarios.find((each) => each.name === name);
      for (const { id, metric } of figures) {
        const [, ours] = /^(\w+)\.(?:p\d+|min|max|mean)$/.exec(metric) ?? [];
        if (!scenario || ours === undefined || ours === 'targetRss') continue;
        expect(Object.keys(scenario.metrics), id).toContain(ours.replace(/Step\d+$/, ''));
      }
    }
  });

  it('gives every table what its source says of itself', () => {
    for (const table of tablesOf(file)) {
      const own = file.tables.find(({ id }) => id === table.id)?.method;
      expect(table).toMatchObject({ source: file.source, versions: file.versions, method: { ...file.method, ...own } });
      expect(table.machine).not.toBe('');
    }
  });
});
