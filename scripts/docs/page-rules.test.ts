import { expect, test } from 'vitest';
import { deadLinks, longLines } from './page-rules.js';

const page = (text: string, path = 'docs/page.md') => ({ path, text });
const long = 'word '.repeat(25);

test('prose and commands end at 120 columns; tables, output and addresses need not', () => {
  expect(longLines(page(`${long}\n| ${long} |\nhttps://example.com/${'a'.repeat(120)}`))).toHaveLength(1);
  expect(longLines(page(`\`\`\`text\n${long}\n\`\`\`\n\`\`\`sh run\n${long}\n\`\`\``))).toEqual([
    'docs/page.md:5: the line is longer than 120 columns',
  ]);
});

test('links lead to a file and a heading', () => {
  const pages = [page('# A page\n## Read `this`, then that'), page('# Top', 'README.md')];
  const exists = (path: string) => path === 'package.json';
  const links = (text: string) => deadLinks(page(text), [page(text), ...pages.slice(1)], exists);
  expect(deadLinks(page('[a](docs/page.md#read-this-then-that)', 'README.md'), pages, exists)).toEqual([]);
  expect(links('[a](../README.md#top) [b](../package.json) [c](https://example.com)')).toEqual([]);
  expect(links('[a](../README.md#bottom) [b](nowhere.md)')).toHaveLength(2);
  expect(links('# Here\n[a](#here) [b](#there)')).toHaveLength(1);
});
