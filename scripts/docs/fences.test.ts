import { expect, test } from 'vitest';
import { deadLinks, failedFences, longReadme, splitFences } from './fences.js';

test('fences have the line and the words of their opening, and lose the indent of their list', () => {
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
test('links lead to a file and a heading', () => {
  const pages = [page('# A page\n## Read `this`, then that'), page('# Top', 'README.md')];
  const exists = (path: string) => path === 'package.json';
  const links = (text: string) => deadLinks(page(text), [page(text), ...pages.slice(1)], exists);
  expect(deadLinks(page('[a](docs/page.md#read-this-then-that)', 'README.md'), pages, exists)).toEqual([]);
  expect(links('[a](../README.md#top) [b](../package.json) [c](https://example.com)')).toEqual([]);
  expect(links('[a](../README.md#bottom) [b](nowhere.md)')).toHaveLength(2);
  expect(links('# Here\n[a](#here) [b](#there)')).toHaveLength(1);
});

test('the README has at most 200 lines', () => {
  expect(longReadme(page('a\n'.repeat(200), 'README.md'))).toEqual([]);
  expect(longReadme(page('a\n'.repeat(201), 'README.md'))).toHaveLength(1);
  expect(longReadme(page('a\n'.repeat(201)))).toEqual([]);
});

test('only blocks that are to run do, and one whose first command fails has failed', () => {
  const block = (info: string, code: string) => `\`\`\`${info}\n${code}\n\`\`\`\n`;
  const text = block('sh run', 'true') + block('sh no-run', 'false') + block('sh run', 'echo why >&2; exit 3\ntrue');
  expect(failedFences([{ path: 'page.md', text }], process.cwd())).toEqual([
    expect.stringMatching(/^page\.md:7: .*\b3\nwhy\n$/),
  ]);
});
