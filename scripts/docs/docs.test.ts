import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { everyKind } from '../../test/doubles/option-schema.js';
import { expectGolden } from '../../test/golden.js';
import { goldenReproduction } from '../../test/reproduction.js';
import { deadLinks, failedFences, longReadme, splitFences } from './fences.js';
import { keptReproductions, optionsTable, outcome, outcomesTable } from './tables.js';

it('fences have the line and the words of their opening, and lose the indent of their list', () => {
  const page = ['- a', '  ```sh run', '  one', '    two', '  ```', 'b', '```', 'c', '```'].join('\n');
  expect(splitFences(page)).toEqual({
    fences: [
      { line: 2, info: 'sh run', text: 'one\n  two\n' },
      { line: 7, info: '', text: 'c\n' },
    ],
    prose: ['- a', '', '', '', '', 'b', '', '', ''],
  });
});

const page = (text: string, path = 'docs/page.md') => ({ path, text });

it('links lead to a file and a heading', () => {
  const pages = [page('# A page\n## Read `this`, then that'), page('# Top', 'README.md')];
  const exists = (path: string) => path === 'package.json';
  const links = (text: string) => deadLinks(page(text), [page(text), ...pages.slice(1)], exists);
  expect(deadLinks(page('[a](docs/page.md#read-this-then-that)', 'README.md'), pages, exists)).toEqual([]);
  expect(links('[a](../README.md#top) [b](../package.json) [c](https://example.com)')).toEqual([]);
  expect(links('[a](../README.md#bottom) [b](nowhere.md)')).toHaveLength(2);
  expect(links('# Here\n[a](#here) [b](#there)')).toHaveLength(1);
});

it('the README has at most 150 lines', () => {
  expect(longReadme(page('a\n'.repeat(150), 'README.md'))).toEqual([]);
  expect(longReadme(page('a\n'.repeat(151), 'README.md'))).toHaveLength(1);
  expect(longReadme(page('a\n'.repeat(151)))).toEqual([]);
});

it('only blocks that are to run do, and one whose first command fails has failed', () => {
  const block = (info: string, code: string) => `\`\`\`${info}\n${code}\n\`\`\`\n`;
  const text = block('sh run', 'true') + block('sh no-run', 'false') + block('sh run', 'echo why >&2; exit 3\ntrue');
  expect(failedFences([{ path: 'page.md', text }], process.cwd())).toEqual([
    expect.stringMatching(/^page\.md:7: .*\b3\nwhy\n$/),
  ]);
});

const kept = fileURLToPath(new URL('../../results/kept', import.meta.url));

it('shows a kept reproduction, and all of them in a table', async () => {
  const made = goldenReproduction();
  await expectGolden('outcome.txt', {
    'one reproduction': outcome('2026-11-21T09-40-15Z-latency-compare-4x3', made),
    'all of them': outcomesTable([made, goldenReproduction({ pairs: [] })]),
  });
});

it('finds what is kept of each source', () => {
  const sources = [...keptReproductions(kept).values()].map(({ table }) => table.source.id);
  expect(new Set(sources).size).toBe(sources.length);
});

it('prints a table in the order of declaration', () =>
  expect(optionsTable(everyKind)).toBe(
    [
      ...['| flag | default | meaning |', '| --- | --- | --- |'],
      ...['| `--ramp-rate <rate>` | `7/s` | clients per second |'],
      ...['| `--client <wire\\|library>` | `wire` | kind of client |'],
      ...['| `--no-probe` | `true` | prove it |', '| `--quick` | `false` | less of it |'],
      ...['| `--address <ip>` | `a,b` | from a \\| b |'],
      ...['| `--token <text>` |  | secret |', '| `--name <text>` |  | its name |'],
    ].join('\n'),
  ));
