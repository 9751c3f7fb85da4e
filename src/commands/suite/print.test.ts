import { describe, expect, it } from 'vitest';
import { expectGolden } from '../../../test/golden.js';
import { lossier, missing, slower, suiteBook, suiteRow } from '../../../test/suite-book.js';
import { markdownText } from '../../render/document/markdown.js';
import { terminalText } from '../../render/document/terminal.js';
import { junitText } from '../../render/junit.js';
import type { SuiteRow } from '../../results/suite.js';
import { changesInWords, endInWords, suiteDocument, toneOfChanges } from './print.js';

const longer = { ...slower, name: 'delivery.max', isOpen: true };
const doubtful = { ...lossier, isOpen: true };
const broken = { given: 3, kept: 1, broken: ['lost==0'] };
const { boards, suite } = suiteBook(
  [
    suiteRow('ws', { changes: [longer, lossier], thresholds: broken }),
    suiteRow('uws', { changes: [lossier], isOpen: true, verdicts: { clean: 0, limited: 1, void: 0 } }),
    suiteRow('socketio', { untold: 2, stops: ['target process gone'], verdicts: { clean: 0, limited: 0, void: 1 } }),
    suiteRow('metronome', { state: 'failed', why: 'it did not listen', runs: 0, changes: null }),
    missing,
  ],
  { isRequired: true, notHeld: 'older/wide: no valid run' },
);

const book = { suite, boards: [] };

describe('a suite is printed', () => {
  it('for the terminal', async () => {
    await expectGolden('suite.txt', {
      'one of each row': terminalText(suiteDocument(book), { isColored: false, columns: 200 }),
    });
  });

  it('as Markdown', async () => {
    await expectGolden('suite-markdown.txt', { 'one of each row': markdownText(suiteDocument(book)) });
  });

  it('as JUnit XML', async () => {
    await expectGolden('suite-junit.txt', { 'one of each row': junitText(suiteDocument(book)) });
  });

  it('with the scoreboard of each entry', () => {
    expect(terminalText(suiteDocument({ suite, boards }), { isColored: false, columns: 200 })).toMatch(
      /^wide \(latency\)/,
    );
    expect(markdownText(suiteDocument({ suite, boards }))).toContain(
      '<details><summary>wide</summary>\n\n### wide (latency)',
    );
  });
});

it.each([
  ['plain', { changes: [] }],
  ['plain', { changes: null }],
  ['plain', { changes: [{ ...lossier, relation: 'better' as const }] }],
  ['plain', { changes: [slower, longer] }],
  ['bad', { changes: [lossier, doubtful] }],
  ['doubtful', { changes: [doubtful] }],
  ['doubtful', { changes: [lossier], isOpen: true }],
])('marks changes as %s: %j', (tone, more) => {
  expect(toneOfChanges(suiteRow('ws', more))).toBe(tone);
});

it('does not call a row the same if too few runs or none can tell', () => {
  const words = (more: Partial<SuiteRow>) => changesInWords(suiteRow('ws', more));
  expect(words({ untold: 0 })).toBe('same');
  expect(words({ untold: 1 })).toContain('1 figure');
  expect(words({ untold: 2, changes: [slower] })).toMatch(/2 figures$/);
  expect(words({ changes: null })).toBe('–');
  expect(words({ verdicts: { clean: 0, limited: 0, void: 1 } })).toBe('–');
});

it('says that runs are missing, and of void runs that they are void', () => {
  const ends = (row: SuiteRow, isComplete: boolean) =>
    endInWords(suiteBook([row], {}, { exit: 'rig', isComplete }).suite).text;
  const voided = suiteRow('ws', { verdicts: { clean: 0, limited: 0, void: 1 } });
  expect(ends(voided, true)).toContain('void');
  expect(ends(suiteRow('ws'), true)).not.toContain('void');
  expect(ends(voided, false)).toMatch(/missing$/);
});
