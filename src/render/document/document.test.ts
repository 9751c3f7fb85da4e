import { describe, expect, it } from 'vitest';
import { answerPage } from '../html/document.js';
import { junitText } from '../junit.js';
import { type Document, faulty, toned } from './document.js';
import { markdownText } from './markdown.js';
import { terminalText } from './terminal.js';

const hostile = '</script><img src=x onerror=alert(1)>|`*a*`\n@all';
const document: Document = {
  title: `found ${hostile}`,
  parts: [
    { blocks: ['how it was asked'] },
    { isAnswer: true, blocks: [toned.good('the answer')] },
    { title: 'rows', blocks: [{ head: ['name', 'value'], rows: [[hostile, toned.bad('✗ 7')]] }] },
    { blocks: [{ facts: [['fact', [toned.doubtful('?'), ' ', toned.code('a<b|c')]]] }] },
    { folded: 'details', blocks: [{ aligned: ['a  b', ' c  d'] }] },
    { only: 'exports', blocks: ['only exported'] },
    { title: 'nothing', blocks: [] },
  ],
  details: [{ name: 'entry', title: 'inner', parts: [{ blocks: ['inside'] }], suites: [] }],
  footer: ['shape 7'],
  suites: [
    {
      ...{ name: 'suite', timestamp: '', seconds: 1.5, properties: {} },
      checks: [{ name: 'passed' }, faulty(`failed ${hostile}`, 'failure', 'kind', hostile)],
    },
  ],
};

describe('a document', () => {
  it('is printed for a terminal in its order, without what is for exports', () => {
    const lines = terminalText({ ...document, title: 'found' }, { isColored: false, columns: 80 }).split('\n');
    expect(lines.slice(0, 4)).toEqual(['inner', 'inside', '', 'found']);
    expect(lines.indexOf('the answer')).toBeGreaterThan(lines.indexOf('how it was asked'));
    expect(lines).not.toContain('only exported');
    expect(lines).not.toContain('nothing');
  });

  it('is coloured by the meaning of its texts', () => {
    const text = terminalText(document, { isColored: true, columns: 80 });
    expect(text).toContain('\u001B[32mthe answer\u001B[39m');
  });

  it('begins with the answer in Markdown, folds details, and escapes what others wrote', () => {
    const text = markdownText(document);
    const [head, answer] = text.split('\n\n');
    expect([head?.startsWith('### found'), answer]).toEqual([true, '✅ the answer']);
    expect(text).toContain('<details><summary>details</summary>\n\n```text\na  b\n c  d\n```\n\n</details>');
    expect(text).toContain('| ❌ 7 |');
    expect(text).toContain('fact: ⚠️ `a<b\\|c`');
    expect(text).toContain('<summary>entry</summary>');
    expect(text).toContain('only exported');
    expect(text).not.toContain('<img');
    expect(text).not.toContain('@all');
  });

  it('begins with the answer on a page, and lets nothing become markup', () => {
    const text = answerPage(document, { uplotScript: '', uplotStyle: '', drawScript: '' });
    expect(text.indexOf('the answer')).toBeLessThan(text.indexOf('how it was asked'));
    expect(text).toContain('<span class="bad">✗ 7</span>');
    expect(text).toContain('shape 7');
    expect(text).not.toContain('<img');
  });

  it('has the counts of its checks in JUnit', () => {
    const text = junitText(document);
    expect(text).toContain('tests="2" failures="1" errors="0" skipped="0" time="1.500"');
    expect(text).not.toContain('<img');
  });
});
