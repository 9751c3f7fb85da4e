import { describe, expect, it } from 'vitest';
import { missing, slower, suiteBaseline, suiteBook, suiteRow } from '../../../../test/suite-book.js';
import { doubt } from '../../../render/diff.js';
import type { SuiteRow } from '../book.js';
import { changesInWords } from './change.js';
import { renderSuiteJunit } from './junit.js';
import { renderSuiteIssue, renderSuiteMarkdown } from './markdown.js';
import { renderSuite } from './terminal.js';

const plain = { isColored: false, columns: 200 };
const none = { given: 1, kept: 0, broken: ['lost==0'] };
const whole = suiteBook([suiteRow('ws', { changes: [slower], promises: none }), missing], { isRequired: true });

describe('a suite for the terminal', () => {
  const lines = renderSuite(whole, plain).split('\n');

  it('has the scoreboard of each entry, then a line for each target', () => {
    expect(lines[0]).toBe('wide (latency)  1 run of each target');
    const summary = lines.slice(lines.indexOf('suite nights'));
    expect(summary).toEqual([
      'suite nights',
      'entry  target    promises         ended  change                                       verdict',
      'wide   ws        broken: lost==0  –      worse: delivery.p99 5.00 → 10.0 ms (+100 %)  clean',
      'wide   anycable  1 of 1           –      –                                            not available: no <binary>',
      '',
      'wide: held against before of 2026-11-20T09:40:15.682Z',
      'wide: differs beside: machine: cpu: A and B',
      '',
      'a promise was broken, or something is worse than in the baseline',
    ]);
  });

  it('says that runs are missing', () => {
    const some = suiteBook([suiteRow('ws')], {}, { exit: 'interrupted', isComplete: false });
    expect(renderSuite(some, plain)).toMatch(/interrupted; what is missing can still be run$/);
  });
});

describe('a change that the rig may have written', () => {
  const doubtful = suiteRow('ws', { changes: [slower], isDoubtful: true });
  const carried = { ...suiteBaseline, isCarried: true, before: ['ws  delivery.p99'] };

  it('is so called and marked in every form', () => {
    const told = `worse: delivery.p99 5.00 → 10.0 ms (+100 %); ${doubt}`;
    expect(renderSuite(suiteBook([doubtful]), plain)).toContain(told);
    expect(renderSuiteMarkdown(suiteBook([doubtful]))).toContain(`| ⚠️ ${told} |`);
    expect(changesInWords({ ...doubtful, untold: 1 })).toBe(`${told}; 1 figure of which too few runs tell`);
    expect(changesInWords({ ...doubtful, changes: [] })).toBe('same');
  });

  it('is so called by itself where clean runs doubt that figure alone', () => {
    const longer = { ...slower, name: 'delivery.max', isDoubtful: true };
    const told = `delivery.max 5.00 → 10.0 ms (+100 %) (${doubt})`;
    const [alone, beside] = [[longer], [slower, longer]].map((changes) => suiteBook([suiteRow('ws', { changes })]));
    expect(renderSuite(alone!, plain)).toContain(`worse: ${told}`);
    expect(renderSuiteMarkdown(alone!)).toContain(`| ⚠️ worse: ${told} |`);
    expect(renderSuiteMarkdown(beside!)).toContain(`| ❌ worse: delivery.p99 5.00 → 10.0 ms (+100 %), ${told} |`);
    expect(renderSuiteJunit(alone!)).toContain(`message="${told}"`);
  });

  it('is told where it was worse before, and opens no issue', () => {
    const twice = suiteBook([doubtful], { baseline: { ...carried, doubtful: ['ws'] } });
    expect(renderSuiteIssue(twice)).toBeUndefined();
    expect(renderSuite(twice, plain)).toContain(`wide: worse again: ws  delivery.p99; ${doubt}`);
    expect(renderSuiteMarkdown(twice)).toContain(`- wide is worse again: ws delivery.p99; ${doubt}`);
  });

  it('is so called in an issue where it was clean the night before', () => {
    const text = renderSuiteIssue(suiteBook([doubtful], { baseline: carried, again: ['ws  delivery.p99'] }));
    expect(text).toContain(`- **ws** delivery.p99 5.00 → 10.0 ms (+100 %); ${doubt}`);
  });
});

describe('a suite in Markdown', () => {
  it('has how it ended, a row for each target, and the scoreboards', () => {
    const text = renderSuiteMarkdown(whole);
    expect(text).toContain('❌ **a promise was broken, or something is worse than in the baseline**');
    expect(text).toContain(
      '| wide | ws | ❌ broken: lost==0 | – | ❌ worse: delivery.p99 5.00 → 10.0 ms (+100 %) | ✅ clean |',
    );
    expect(text).toContain('not available: no &#60;binary&#62;');
    expect(text).toContain('<details><summary>wide</summary>\n\n### latency');
  });
});

describe('the text of an issue', () => {
  it('is there only where something was worse twice in a row', () => {
    expect(renderSuiteIssue(whole)).toBeUndefined();
    const twice = suiteBook([suiteRow('ws', { changes: [slower, { ...slower, name: 'delivery.max' }] })], {
      again: ['ws  delivery.p99'],
    });
    const text = renderSuiteIssue(twice);
    expect(text).toContain('for the second time in a row');
    expect(text).toContain('- **ws** delivery.p99 5.00 → 10.0 ms (+100 %)');
    expect(text).toContain('- (first time) **ws** delivery.max');
    expect(text).toContain('held against the runs of 2026-11-20T09:40:15.682Z');
    expect(text).toContain('machine: cpu: A and B');
  });
});

it('says of a row of which too few runs tell that it is not the same', () => {
  const words = (untold: number, changes: SuiteRow['changes'] = []) =>
    changesInWords(suiteRow('ws', { changes, untold }));
  expect([words(0), words(1), words(2)]).toEqual([
    'same',
    '1 figure of which too few runs tell',
    '2 figures of which too few runs tell',
  ]);
  expect(words(1, [slower])).toMatch(/^worse: .*; 1 figure of which too few runs tell$/);
  expect(words(0, null)).toBe('–');
  expect(changesInWords(suiteRow('ws', { verdicts: { clean: 0, limited: 0, void: 1 } }))).toBe('–');
});
