import { describe, expect, it } from 'vitest';
import { goldenComparison, goldenRun, latency, resultDocument, voided } from '../../test/kept-golden.js';
import { goldenReproduction } from '../../test/reproduction.js';
import { suiteBook, suiteRow } from '../../test/suite-book.js';
import { optionsOf } from '../options/option.js';
import { type Document, headed } from '../render/document/document.js';
import { markdownText } from '../render/document/markdown.js';
import { answerPage } from '../render/html/document.js';
import { junitText } from '../render/junit.js';
import { command as bracket } from './bracket/command.js';
import { command as calibrate } from './calibrate/command.js';
import type { CommandData } from './command.js';
import { command as compare } from './compare/command.js';
import { indexDocument } from './report/command.js';
import { command as reproduce } from './reproduce/command.js';
import { reproductionDocument } from './reproduce/print.js';
import { command as run } from './run/command.js';
import { command as find } from './search/find/command.js';
import { command as knee } from './search/knee/command.js';
import { command as suite } from './suite/command.js';
import { suiteDocument } from './suite/print.js';

function flagsOf(command: CommandData): string[] {
  if ('commands' in command) return command.commands.run ? flagsOf(command.commands.run) : [];
  if ('scenarios' in command) return optionsOf(command.schemaOf(latency)).map(({ flag }) => flag);
  return [command.options, command.flags]
    .flatMap((options) => (options ? optionsOf(options) : []))
    .map(({ flag }) => flag);
}

describe('the forms of every experiment', () => {
  it.each(Object.entries({ run, compare, bracket, find, knee, calibrate, suite, reproduce }))(
    '%s writes JSON, Markdown, JUnit and a page',
    (_name, command) => {
      expect(flagsOf(command)).toEqual(expect.arrayContaining(['json', 'markdown', 'junit', 'html']));
    },
  );

  const documents: Record<string, Document> = {
    run: resultDocument(goldenRun('ws', 1), latency),
    void: resultDocument(goldenRun('ws', 1, { verdict: voided }), latency),
    comparison: resultDocument(goldenComparison([goldenRun('ws', 1), goldenRun('uws', 2)]), latency),
    suite: suiteDocument(suiteBook([suiteRow('ws', {})])),
    reproduction: reproductionDocument(goldenReproduction()),
  };

  it.each(Object.entries(documents))(
    'the answer of a %s heads its page and is in Markdown and JUnit',
    (_name, each) => {
      const page = answerPage(each, { uplotScript: '', uplotStyle: '', drawScript: '' });
      expect(page.split('<h1>').length).toBe(2);
      expect(page).toContain('</h1></header>');
      expect(markdownText(each).length).toBeGreaterThan(99);
      expect(junitText(each)).toContain('<testcase');
    },
  );

  it('an index has a row and a fold of each result, with its answer', () => {
    const name = '2026-11-28T07-11-53Z-latency-ws-10a280b9';
    const run = documents.run as Document;
    const index = indexDocument('results', [{ name, document: run }]);
    const [, { blocks } = { blocks: [] }] = index.parts;
    expect(blocks[0]).toMatchObject({ rows: [['2026-11-28 07:11', expect.anything(), headed(run).sentence, {}]] });
    expect(index.details?.map((each) => each.name)).toEqual([name]);
  });
});
