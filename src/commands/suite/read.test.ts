import { expect, it } from 'vitest';
import { naming } from '../../../test/refusal.js';
import { messagesBy } from '../../../test/refusals.js';
import { planSuite } from './plan.js';
import { readSuite } from './read.js';

const nothing = { flags: {}, env: {} };

const messages = (text: string): string[] => messagesBy(() => planSuite(readSuite('a.yml', text), nothing, 7));

const bad = `name: Bad Name
seed: -1
targets: [ws, nope]
options:
  clients: many
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

it('a suite that is wrong gets all problems at once, each with line, place, expected and received', () => {
  const found = messages(bad);
  const expected = [
    naming('a.yml:1:1 name:', '"Bad Name"'),
    naming('a.yml:2:1 seed:', 0, '-1'),
    naming('a.yml:3:15 targets[1]:', '`ringside list targets`', '"nope"'),
    naming('a.yml:5:3 options.clients:', '"many"'),
    naming('a.yml:7:3 options.bogus:', 'unknown'),
    naming('a.yml:8:3 options.repeat:', '`repeat`'),
    naming('a.yml:11:16 entries[0].options.broadcasts:', 1, 0),
    naming('a.yml:12:29 entries[0].thresholds[1]:'),
    naming('a.yml:13:5 entries[0].repeat:', 1, 0),
    naming('a.yml:14:5 entries[1].scenario:', '`ringside list scenarios`', '"latencia"'),
    naming('a.yml:15:5 entries[2].scenario:', '`name`', '"latency"'),
    naming('a.yml:16:5 entries[2].extra:'),
    naming('a.yml:17:19 entries[2].targets[1]:', '"ws"'),
  ];
  for (const each of expected) expect(found).toContainEqual(each);
  expect(found).toContainEqual(naming('options.wat:', 'unknown'));
  expect(found).toHaveLength(expected.length + 1);
  expect(found.join()).not.toContain('prime-7919');
});

it.each([
  ['a key twice', 'name: a\nname: b\nentries: []\n', /^a\.yml:2:1 .*keys/],
  ['an alias of nothing', 'name: a\nentries: *x\n', /^a\.yml: .*alias/],
  ['no suite at all', '- 1\n', /^a\.yml:1:1 the file: .* list$/],
  ['nothing', '', /^a\.yml:1:1 the file: .* nothing$/],
  ['no entries', 'name: a\nentries: []\n', /^a\.yml:2:1 entries: .* empty list$/],
  [
    'an option that is a map',
    'name: a\nentries: [{ scenario: latency, options: { rate: { a: 1 } } }]\n',
    /options\.rate: .* map$/,
  ],
])('a suite that is wrong is refused for %s', (_what, text, message) => {
  expect(messages(text).join('\n')).toMatch(message);
});

it('a suite that is wrong is refused for a target of an entry that does not fit its scenario', () => {
  const entry = 'scenario: echo, targets: [ws, anycable]';
  expect(messages(`name: a\nentries: [{ ${entry} }]\n`)).toEqual([
    naming('a.yml:2:43 entries[0].targets[1]:', 'echo', 'anycable'),
  ]);
});
