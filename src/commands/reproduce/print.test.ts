import { describe, expect, it } from 'vitest';
import { expectGolden } from '../../../test/golden.js';
import { smallSource } from '../../../test/published.js';
import { goldenReproduction } from '../../../test/reproduction.js';
import { markdownText } from '../../render/document/markdown.js';
import { terminalText } from '../../render/document/terminal.js';
import { type ReproducedPair, tablesOf } from '../../results/published.js';
import { claimSentence, claimsIn, pairInWords } from './claims.js';
import { publishedDocument } from './list.js';
import { asMeasured, asPublished, inUnit, reproductionDocument } from './print.js';

const plain = { isColored: false, columns: 200 };

describe('a reproduction', () => {
  it('is printed for the terminal', async () => {
    await expectGolden('reproduction.txt', {
      'at a tenth': terminalText(reproductionDocument(goldenReproduction()), plain),
    });
  });

  it('is printed as Markdown, without markup from elsewhere', async () => {
    const { table } = goldenReproduction();
    const text = markdownText(
      reproductionDocument(goldenReproduction({ table: { ...table, title: 'A | B <script>' } })),
    );
    await expectGolden('reproduction-markdown.txt', { 'at a tenth': text });
  });
});

describe('a figure', () => {
  it.each([
    [0.41273, 'ms', '0.413 ms'],
    [2.3, 's', '2.30 s'],
    [1204.4, 'ms', '1,204 ms'],
    [99.9991, '%', '99.99 %'],
    [100, '%', '100 %'],
    [184_449.4, 'count', '184,449'],
    [9000, '/s', '9,000 /s'],
  ] as const)('of %s %s is %s', (value, unit, text) => {
    expect(inUnit(value, unit)).toBe(text);
  });

  it('has the qualifier of its source', () => {
    const figure = { id: 'a', target: 'ws', metric: 'lost', value: 892.84, unit: 'µs', quote: '892.84' } as const;
    expect(
      [undefined, 'about', 'atLeast', 'below'].map((bound) => asPublished({ ...figure, bound } as typeof figure)),
    ).toEqual(['892.84 µs', '~892.84 µs', '≥ 892.84 µs', '< 892.84 µs']);
  });

  it.each<[string, object]>([
    ['5.00 ms [3.00 to 7.00]', { interval: [3, 7] }],
    ['5.00 ms (4.00 to 6.00)', {}],
    ['5.00 ms', { least: 5, most: 5 }],
    ['5.00 ms (4.00 to 6.00) (≥3.50 ms)', { atLeast: 3.5 }],
    ['≤5.00 ms (4.00 to 6.00)', { atLeast: 0 }],
  ])('has its interval or the range of the runs, and what the rig may have added: %s', (text, more) => {
    const measured = { median: 5, least: 4, most: 6, interval: null, runs: 3, ...more };
    expect(asMeasured({ figure: 'a', measured, why: '', ratio: null }, 'ms')).toBe(text);
  });
});

describe('the claims of a table', () => {
  const pair = (b: string, holds: 'yes' | 'no' | 'open', more: Partial<ReproducedPair> = {}): ReproducedPair => ({
    ...{ metric: 'delivery.p50', a: 'uws', b, holds },
    ...more,
  });
  const pairs = [pair('ws', 'yes'), pair('socketio', 'open', { because: 'rig' }), pair('go-server', 'no')];
  const { table } = goldenReproduction();
  const claim = { text: 'uws is first', metric: 'delivery.p50', lower: ['uws'], higher: ['ws', 'socketio'] };

  it('are those of its source, then the pairs that none of them is about', () => {
    const claims = claimsIn({ pairs, table: { ...table, claims: [claim, { ...claim, metric: 'lost' }] } });
    expect(claims).toEqual([
      { text: 'uws is first', pairs: pairs.slice(0, 2), holds: 'open' },
      { text: null, pairs: pairs.slice(2), holds: 'no' },
    ]);
  });

  it('are counted in one sentence, with the reasons of the open ones', async () => {
    const sentence = (...some: ReproducedPair[]) => claimSentence(claimsIn({ pairs: some, table }));
    await expectGolden('reproduction-claims.txt', {
      none: sentence(),
      'all hold': sentence(pairs[0]!, pairs[0]!),
      'of each kind': sentence(...pairs),
      'open for two reasons': sentence(pairs[1]!, pairs[1]!, pair('ws', 'open', { because: 'fewSamples' })),
    });
  });

  it('are printed with what decided them, or would', async () => {
    const { rig, targets } = goldenReproduction();
    const second = (holds: 'yes' | 'no' | 'open', why = '') => ({ second: { holds, why } });
    const interval: [number, number] = [0.4, 0.5];
    const said = [
      pair('ws', 'yes', { ratio: 0.45, interval }),
      pair('ws', 'no', { ...second('no') }),
      pair('ws', 'no', { ...second('yes') }),
      pair('ws', 'no', { ...second('open', 'no library') }),
      pair('ws', 'open', { because: 'chance', ratio: 0.45, interval }),
      pair('socketio', 'open', { because: 'absent' }),
    ].map((each) => pairInWords(each, { rig, targets }));
    await expectGolden('reproduction-pairs.txt', { lines: said.join('\n') });
  });
});

describe('the list of published tables', () => {
  const [first, second] = tablesOf(smallSource);
  if (!first || !second) throw new Error('the small source has two tables');
  const listed = [
    {
      table: first,
      targets: [
        { target: 'ws', by: '8 processes', state: 'ready' as const, why: '' },
        {
          target: 'uws',
          by: '',
          state: 'notAvailable' as const,
          why: 'Not installed. Install it: ringside install uws.',
        },
        { target: 'go-server', by: '', state: 'elsewhere' as const, why: 'a server in Go' },
      ],
      scale: 0.5,
      why: '',
      plannedMs: 7101,
      lacking: ['bench-runner 0: 470 clients need 500 file descriptors'],
    },
    {
      ...{ table: second, targets: [], scale: null, why: 'there is no scenario staircase here' },
      plannedMs: null,
      lacking: [],
    },
  ];

  const shown = (hasQuotes: boolean) => terminalText(publishedDocument(listed, hasQuotes), plain);

  it('shows what can run here, at which scale, and the figures on request', async () => {
    await expectGolden('published-list.txt', {
      'without quotes': shown(false),
      'with quotes': shown(true),
    });
    expect(shown(false)).not.toContain('small-steps-ws');
    expect(terminalText(publishedDocument([], true), plain)).not.toContain('\n');
  });
});
