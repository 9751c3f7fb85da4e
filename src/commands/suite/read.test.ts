import { describe, expect, it } from 'vitest';
import { ProblemError } from '../../contract/problems.js';
import { planSuite } from './plan.js';
import { readSuite } from './read.js';

const nothing = { flags: {}, env: {} };

function messages(text: string): string[] {
  try {
    planSuite(readSuite('a.yml', text), nothing, 7);
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    expect(error.exitCode).toBe(2);
    return error.problems.map(({ message }) => message);
  }
  return [];
}

const bad = `name: Bad Name
seed: -1
targets: [ws, nope]
options:
  subscribers: many
  token: prime-7919
  bogus: 1
  repeat: 3
entries:
  - scenario: latency
    options: { broadcasts: 0, rate: 5, wat: 3 }
    thresholds: ['lost==0', 'lust==0']
    repeat: 0
  - scenario: latencia
  - scenario: latency
    extra: 1
    targets: [ws, ws]
`;

describe('a suite that is wrong', () => {
  it('gets all problems at once, each with line, place, expected and received', () => {
    const found = messages(bad);
    const expected = [
      'a.yml:1:1 name: expected at most forty small letters, digits and dashes, received "Bad Name"',
      'a.yml:2:1 seed: expected number to be >=0, received -1',
      'a.yml:3:15 targets[1]: expected one of `ringside list targets`, received "nope"',
      'a.yml:5:3 options.subscribers: expected a whole number such as 1000, 10_000 or 10k, received "many"',
      'a.yml:7:3 options.bogus: expected an option of one of the scenarios, received an unknown key',
      'a.yml:8:3 options.repeat: expected `repeat`, received it as an option',
      'a.yml:11:16 entries[0].options.broadcasts: expected at least 1, received 0',
      'a.yml:12:29 entries[0].thresholds[1]: expected ',
      'a.yml:13:5 entries[0].repeat: expected number to be >=1, received 0',
      'a.yml:14:5 entries[1].scenario: expected one of `ringside list scenarios`, received "latencia"',
      'a.yml:15:5 entries[2].scenario: expected a `name` of its own, received "latency" again',
      'a.yml:16:5 entries[2].extra: expected a known key, received an unknown one',
      'a.yml:17:19 entries[2].targets[1]: expected each target once, received "ws" again',
    ];
    for (const start of expected) expect(found.filter((each) => each.startsWith(start))).toHaveLength(1);
    expect(
      found.filter((each) => /options\.wat: expected one of .*, received an unknown key$/.test(each)),
    ).toHaveLength(1);
    expect(found).toHaveLength(expected.length + 1);
    expect(found.join()).not.toContain('prime-7919');
  });

  it.each([
    ['a key twice', 'name: a\nname: b\nentries: []\n', /^a\.yml:2:1 Map keys must be unique/],
    ['an alias of nothing', 'name: a\nentries: *x\n', /^a\.yml: Unresolved alias/],
    ['no suite at all', '- 1\n', /^a\.yml:1:1 the file: expected object, received a list$/],
    ['nothing', '', /^a\.yml:1:1 the file: expected object, received nothing$/],
    ['no entries', 'name: a\nentries: []\n', /^a\.yml:2:1 entries: .*received an empty list$/],
    [
      'an option that is a map',
      'name: a\nentries: [{ scenario: latency, options: { rate: { a: 1 } } }]\n',
      /options\.rate: expected text.*, received a map$/,
    ],
  ])('is refused for %s', (_what, text, message) => {
    expect(messages(text).join('\n')).toMatch(message);
  });

  it('is refused for a target of an entry that does not fit its scenario', () => {
    const entry = 'scenario: echo, targets: [ws, anycable]';
    expect(messages(`name: a\nentries: [{ ${entry} }]\n`)).toEqual([
      expect.stringMatching(/^a\.yml:2:43 entries\[0\]\.targets\[1\]: scenario echo needs /),
    ]);
  });
});
