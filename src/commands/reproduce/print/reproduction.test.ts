import { describe, expect, it } from 'vitest';
import { smallSource } from '../../../../test/published.js';
import { goldenReproduction } from '../../../../test/reproduction.js';
import { tablesOf } from '../../../results/published.js';
import { reproduction } from '../reproduction.js';
import { asMeasured, asPublished, inUnit } from './figure.js';
import { renderPublished } from './list.js';
import { reproductionMarkdown } from './markdown.js';
import { renderReproduction } from './reproduction.js';
import { fairness } from './words.js';

const plain = { isColored: false, columns: 200 };

describe('a reproduction', () => {
  it('of the tests keeps to the schema', () => {
    expect(reproduction.parse(goldenReproduction())).toEqual(goldenReproduction());
  });

  it('for the terminal says first whether it is fair, and what differs', () => {
    expect(renderReproduction(goldenReproduction(), plain)).toMatchInlineSnapshot(`
      "small-latency  Latency at 470 subscribers
      A small source · 2026-11-07 · section 3

      Is it fair? Not number against number: the audience is scaled to 0.1 of the published one, another machine, another rig, with other clients and another clock, figures that are defined otherwise.
      What may be held against each other is how the targets lie to one another, which the last lines do.
      Read with doubt what is said of ws: not every run of theirs is clean.
      Some of what was published has no like here, and says so in its row.

                   published         here
      subscribers  470               47
      machine      a box of 7 cores  2 × AMD EPYC, 23.5 GiB, Linux 6.18.44, for target and load together
      versions     ws 7.1            node 20.20.2, ws 8.23.0
      clients      one loop          lean wire clients, 1 event loop on 1 bench-runner
      clock        Date.now()        one monotonic clock of nanoseconds for sends and deliveries
      samples      a few             every one, merged; 3 interleaved runs of each target
      publisher    closed loop       over HTTP, on an open schedule, which a slow answer does not delay

      not told there, ours
        ramp-rate 500/s · warm-up 10 · drain 5s

      defined otherwise
        published latencies are halves of a round trip

      to be read with care
        one event loop held all clients
        socketio delivery.p50: read off a picture

      target  figure           published                       here  here over published  verdict
      ws      delivery.p50          3 ms    1.10 ms [0.970 to 1.25]               × 0.37  2 clean, 1 limited
      uws     delivery.p50          2 ms  0.413 ms (0.400 to 0.420)               × 0.21  3 clean
      ws      lost                     0                          0                    –  2 clean, 1 limited
      ws      delivered share      100 %     99.99 % (99.99 to 100)                  × 1  2 clean, 1 limited
      ws      joules                  11        no such figure here                    –  2 clean, 1 limited

      what speaks against these numbers
        ws  loop-delay: shard 0 worker 0 was 19.3 ms late

      no row
        socketio: it is not installed
        go-server: no target here (a server in Go)

      how the targets lie to one another
      delivery.p50  as published: uws < ws"
    `);
  });

  it('in Markdown says the same, without markup from elsewhere', () => {
    const { table } = goldenReproduction();
    const text = reproductionMarkdown(goldenReproduction({ table: { ...table, title: 'A | B <script>' } }));
    expect(text).toMatchInlineSnapshot(`
      "### A &#124; B &#60;script&#62;

      \`small-latency\` · A small source · 2026-11-07 · section 3

      Is it fair? Not number against number: the audience is scaled to 0.1 of the published one, another machine, another rig, with other clients and another clock, figures that are defined otherwise.
      What may be held against each other is how the targets lie to one another, which the last lines do.
      Read with doubt what is said of ws: not every run of theirs is clean.
      Some of what was published has no like here, and says so in its row.

      | target | figure | published | here | here over published | verdict |
      | --- | --- | --: | --: | --: | --- |
      | ws | delivery.p50 | 3 ms | 1.10 ms &#91;0.970 to 1.25&#93; | × 0.37 | 2 clean, 1 limited |
      | uws | delivery.p50 | 2 ms | 0.413 ms (0.400 to 0.420) | × 0.21 | 3 clean |
      | ws | lost | 0 | 0 | – | 2 clean, 1 limited |
      | ws | delivered share | 100 % | 99.99 % (99.99 to 100) | × 1 | 2 clean, 1 limited |
      | ws | joules | 11 | no such figure here | – | 2 clean, 1 limited |

      - delivery.p50, as published: uws &#60; ws

      |  | published | here |
      | --- | --- | --- |
      | subscribers | 470 | 47 |
      | machine | a box of 7 cores | 2 × AMD EPYC, 23.5 GiB, Linux 6.18.44, for target and load together |
      | versions | ws 7.1 | node 20.20.2, ws 8.23.0 |
      | clients | one loop | lean wire clients, 1 event loop on 1 bench-runner |
      | clock | Date.now() | one monotonic clock of nanoseconds for sends and deliveries |
      | samples | a few | every one, merged; 3 interleaved runs of each target |
      | publisher | closed loop | over HTTP, on an open schedule, which a slow answer does not delay |

      - against the numbers of ws loop-delay: shard 0 worker 0 was 19.3 ms late
      - no row of socketio: it is not installed
      - no row of go-server: a server in Go
      - not told there, ours: ramp-rate 500/s · warm-up 10 · drain 5s
      - defined otherwise: published latencies are halves of a round trip
      - to be read with care: one event loop held all clients
      - to be read with care: socketio delivery.p50: read off a picture"
    `);
  });

  it('on a narrow terminal has blocks in place of columns', () => {
    const lines = renderReproduction(goldenReproduction(), { isColored: false, columns: 60 }).split('\n');
    expect(lines).toContain('  here over published  × 0.37');
  });
});

describe('whether it is fair', () => {
  const said = (more: Parameters<typeof goldenReproduction>[0]): string =>
    fairness(goldenReproduction(more)).join('\n');

  it('depends on scale, on what was asked otherwise, and on what is defined otherwise', () => {
    const { table } = goldenReproduction();
    const whole = { scale: 1, changes: [], table: { ...table, differs: [] } };
    expect(said(whole)).toContain(
      'Not number against number: another machine, another rig, with other clients and another clock.',
    );
    expect(said({ ...whole, changes: [{ option: 'offline', published: '1s', here: '2s' }] })).toContain(
      'not all was asked as published',
    );
    expect(said({})).toContain('the audience is scaled to 0.1');
  });

  it('is not asked where nothing ran', () => {
    const targets = goldenReproduction().targets.slice(2);
    expect(said({ targets })).toBe('Nothing was run: there is nothing to compare.');
  });

  it('knows that one target has no order and one run no interval', () => {
    const text = said({ targets: goldenReproduction().targets.slice(1, 2), repeat: 1 });
    expect(text).toContain('With one target there is no order');
    expect(text).toContain('fewer than 3 runs');
    expect(text).not.toContain('Read with doubt');
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

  it('is printed as its source qualifies it', () => {
    const figure = { id: 'a', target: 'ws', metric: 'lost', value: 892.84, unit: 'µs', quote: '892.84' } as const;
    expect(
      [undefined, 'about', 'atLeast', 'below'].map((bound) => asPublished({ ...figure, bound } as typeof figure)),
    ).toEqual(['892.84 µs', '~892.84 µs', '≥ 892.84 µs', '< 892.84 µs']);
  });

  it('is printed with the interval, else with what the runs span, else alone', () => {
    const row = (least: number, most: number, interval: [number, number] | null) => ({
      figure: 'a',
      measured: { median: 5, least, most, interval, runs: 3 },
      why: '',
      ratio: null,
    });
    expect(asMeasured(row(4, 6, [3, 7]), 'ms')).toBe('5.00 ms [3.00 to 7.00]');
    expect(asMeasured(row(4, 6, null), 'ms')).toBe('5.00 ms (4.00 to 6.00)');
    expect(asMeasured(row(5, 5, null), 'count')).toBe('5');
  });
});

describe('the list of published tables', () => {
  const [first, second] = tablesOf(smallSource);
  if (!first || !second) throw new Error('the small source has two tables');
  const listed = [
    {
      table: first,
      targets: [
        { target: 'ws', state: 'ready' as const, why: '' },
        { target: 'uws', state: 'notAvailable' as const, why: 'it is not installed' },
      ],
      scale: 0.5,
      why: 'not uws',
      plannedMs: 7101,
    },
    { table: second, targets: [], scale: null, why: 'there is no scenario staircase here', plannedMs: null },
  ];

  it('says what can run here, and at which scale', () => {
    expect(renderPublished(listed, false, plain)).toMatchInlineSnapshot(`
      "table          scenario   figures  targets that are ready  a run  here
      small-latency  latency          7  ws                         8s  at --scale 0.5; not uws
      small-steps    staircase        1  –                           –  no: there is no scenario staircase here

      here: what file descriptors and source ports carry; whether the rig keeps up with it, only the verdict of a run says"
    `);
  });

  it('has the figures of tables that were asked for, and where they stand', () => {
    expect(renderPublished(listed, true, plain)).toContain('  small-steps-ws  7 ms  “7 ms”');
    expect(renderPublished([], true, plain)).toBe('no published table holds all of these words');
  });
});
