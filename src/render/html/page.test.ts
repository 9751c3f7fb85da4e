import { describe, expect, it } from 'vitest';
import { expectVariants } from '../../../test/golden.js';
import { goldenResult, goldenShard } from '../../../test/golden-result.js';
import { goldenThresholds, limited, notAvailable, voided } from '../../../test/kept-golden.js';
import { pairedComparison } from '../../../test/paired-golden.js';
import { latency } from '../../../test/scenarios.js';
import type { RunResult } from '../../results/result.js';
import type { Curve } from './charts/chart.js';
import { curveOf } from './charts/latency.js';
import { renderPage } from './page.js';
import type { Report, ReportRun } from './runs.js';

const curve = curveOf({ kind: 'raw', values: Uint32Array.from({ length: 1009 }, (_, n) => 211 + n * 41) }) as Curve;
const run = (label: string, more: Partial<RunResult> = {}): ReportRun => ({
  label,
  directory: `results/${label}`,
  result: goldenResult(more),
  curves: { delivery: curve, publishAck: curve },
});
const page = (more: Partial<Report> = {}): string =>
  renderPage({
    scenario: latency,
    runs: [run('ws')],
    difference: '',
    chosen: '',
    assets: { uplotScript: 'library()', uplotStyle: '.u-wrap {}', drawScript: 'draw()' },
    ...more,
  });

/** The words of a page, a line for each element: without scripts, and without the tables that other rooms declare. */
function wordsOf(text: string): string {
  const [body = ''] = text.slice(text.indexOf('<header>')).split('<script');
  const own = body.replace(/(<section id="how-to-read".*?<\/p>\n<p>.*?<\/p>).*/s, '$1');
  const words = own
    .replaceAll(/<\/(h\d|p|li|tr|dd|caption|figcaption|summary)>/g, '\n')
    .replaceAll(/<\/?(th|td|dt)[^>]*>/g, ' ');
  return words
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/ {2,}/g, ' ')
    .replaceAll(/\s*\n\s*/g, '\n')
    .trim();
}

it('says what runs found, in its golden file', async () => {
  const { shards, environment, job, ledger } = goldenResult();
  const silent = shards.map((part) => ({ ...part, silences: [{ fromMs: 7211.3, toMs: 13_211.3 }] }));
  const footprint = { bytesPerConnection: 51_203.7, errorBytes: 211, points: 23 };
  const noted = { ...latency, notes: () => ['nobody timed this'] };
  const thresholds = goldenThresholds;
  const attached = {
    ...{ atMs: 41_307.1, at: '2026-11-23T07:11:13.000Z', by: 'laptop/4703', from: 'other/4691', silentMs: 5113.7 },
    lacks: ['readings of the target before 41 s'],
  };
  const takenOver = { environment: { ...environment, attached } };
  const troubled = { verdict: limited, thresholds, shards: silent, job: { ...job, seed: 7 }, ...takenOver };
  await expectVariants('report.txt', {
    'a run': wordsOf(page()),
    'a limited run with notes and thresholds, which another driver took over': wordsOf(
      page({ scenario: noted, runs: [run('ws', troubled)] }),
    ),
    'a void run whose ledger does not add up': wordsOf(
      page({ runs: [run('ws', { verdict: voided, ledger: { ...ledger, delivered: 203_210 } })] }),
    ),
    'two runs of different shapes': wordsOf(
      page({
        runs: [run('ws'), run('uws', { environment: { ...environment, footprint } })],
        difference: 'options.clients: 200 and 1000',
        chosen: 'Each target is shown by its median run.',
      }),
    ),
    'a paired comparison': wordsOf(
      page({ scoreboard: pairedComparison({ times: { ws: 1.5, uws: 1 }, starts: 3, others: [notAvailable] }) }),
    ),
  });
});

const all = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map((match) => match[1] ?? '');
const pageData = (text: string) => JSON.parse(/id="page-data">(.*?)<\/script>/s.exec(text)?.[1] ?? '');

describe('a page about a run', () => {
  it('has every figure of the result, exact for machines and in milliseconds for people', () => {
    const text = page();
    for (const { count, ...figures } of Object.values(goldenResult().metrics).filter((metric) => metric.count > 0)) {
      const { min, p50, p90, p95, p99, p999, max, mean } = figures;
      for (const us of [min, p50, p90, p95, p99, p999, max, mean]) {
        if (us !== null) expect(text).toContain(`<data value="${us}">`);
      }
      expect(text).toContain(`<data value="${count}">${count.toLocaleString('en-US')}</data>`);
    }
    expect(text).toContain('<data value="5003">5.00</data>');
    expect(text).toContain('dc5a9d213400');
    expect(text).toContain('3593012614');
  });

  it('asks nobody for anything: all it refers to is inside it', () => {
    const text = page();
    expect(all(text, /\b(?:src|href|action|data|poster)="([^"]*)"/g).filter((url) => !/^(#|data:,)/.test(url))).toEqual(
      [],
    );
    expect(text).toContain('default-src &#39;none&#39;');
    expect(text).toContain('connect-src &#39;none&#39;');
    expect(text).not.toContain('unsafe-inline&#39;; script-src &#39;unsafe');
  });

  it('has one h1, headings in order, names that are one each, and places for all that is referred to', () => {
    for (const text of [page(), page({ runs: [run('ws'), run('uws')] })]) {
      const levels = all(text, /<h(\d)/g).map(Number);
      expect(levels.filter((level) => level === 1)).toHaveLength(1);
      expect(levels.filter((level, index) => level > (levels[index - 1] ?? 0) + 1)).toEqual([]);
      const ids = all(text, /\bid="([^"]*)"/g);
      expect(new Set(ids).size).toBe(ids.length);
      const named = [...all(text, /aria-labelledby="([^"]*)"/g), ...all(text, /href="#([^"]*)"/g)];
      expect(named.filter((id) => !ids.includes(id))).toEqual([]);
    }
  });

  it('has for each chart that its script draws a place with a name and a table', () => {
    const text = page();
    const { charts } = pageData(text) as { charts: { id: string; title: string }[] };
    expect(charts.map(({ id }) => id)).toEqual([
      'latency-spectrum',
      'latency-cdf',
      ...['time-deliveries', 'time-percentiles', 'time-open', 'time-memory', 'time-loop-delay'],
      ...[0, 1].flatMap((shard) =>
        ['deliveriesPerSecond', 'open', 'loopDelayMs'].map((name) => `run-0-shard-${shard}-${name}`),
      ),
    ]);
    for (const { id } of charts) {
      const figure = text.slice(text.indexOf(`<figure id="${id}"`)).split('</figure>')[0] ?? '';
      expect(figure).toMatch(/role="img" aria-label="[^"]{20,}"/);
      expect(figure).toContain('<table');
    }
  });

  it('is one box with what happened and the fix, if the run is void', () => {
    const verdict = {
      rig: 'void' as const,
      evidence: [{ rule: 'cut-short', level: 'void' as const, text: 'the run was cut short' }],
    };
    const stop = { code: 'targetGone' as const, evidence: ['it died'] };
    const text = page({ runs: [run('ws', { verdict, stop })] });
    const [, answer = ''] = /<div class="answer">(.*?)<\/div>/s.exec(text) ?? [];
    expect(answer).toContain('<span class="bad">VOID');
    expect(answer).toContain('<dt>fix</dt>');
    expect([text.includes('<figure'), text.includes('<section')]).toEqual([false, false]);
  });

  it('has the sentence of the answer as its heading, the verdict beside one chart, and every rule', () => {
    const text = page();
    const sentence = /<h1>(.*?)<\/h1>/.exec(text)?.[1];
    expect(sentence).toContain('clients got each broadcast');
    expect(text).toContain(`<title>${sentence}</title>`);
    const opening = text.slice(text.indexOf('class="opening"'), text.indexOf('<section'));
    expect(opening.split('<figure').length - 1).toBe(1);
    expect(text).toContain('<code id="rule-cut-short">');
    expect(page()).toContain('<span class="good">clean');
    expect(page({ scenario: { ...latency, notes: () => ['nobody timed this'] } })).toContain('>nobody timed this<');
  });

  it('lets nothing that it is told become markup', () => {
    const hostile = `</script><script>alert(1)</script>"'<img src=x onerror=alert(1)>`;
    const golden = goldenResult();
    const text = page({
      runs: [
        run(hostile, {
          target: {
            ...golden.target,
            name: hostile,
            versions: { [hostile]: hostile },
            settings: { [hostile]: hostile },
          },
          stop: { code: 'targetGone', evidence: [hostile] },
          shards: [
            {
              url: hostile,
              state: 'partial',
              why: hostile,
              result: goldenShard(0, { causes: { connect: { [hostile]: 7 } } }),
            },
          ],
          sources: { [hostile]: hostile },
        }),
      ],
      chosen: hostile,
      difference: hostile,
    });
    expect(text).not.toContain('<script>alert');
    expect(text).not.toContain('<img');
    expect(all(text, /<script([^>]*)>/g)).toEqual([' type="application/json" id="page-data"', '', ' type="module"']);
    expect(pageData(page({ runs: [run(hostile), run('uws')] })).charts[0].lines[0].label).toBe(hostile);
  });
});

describe('a page about several runs', () => {
  const text = page({ runs: [run('ws'), run('uws')], difference: 'options.clients: 200 and 1000' });

  it('lays them over each other, told apart by colour and by dash', () => {
    const [spectrum] = pageData(text).charts as {
      id: string;
      lines: { label: string; color: number; dash: number[] }[];
    }[];
    expect(spectrum?.id).toBe('latency-delivery-spectrum');
    expect(spectrum?.lines.map(({ label, color, dash }) => [label, color, dash])).toEqual([
      ['ws', 0, []],
      ['uws', 1, [9, 4]],
    ]);
  });
});

it('stays small however many samples there are', () => {
  const values = Uint32Array.from({ length: 300_007 }, (_, n) => Math.round(1000 * 1.00005 ** n));
  const many = curveOf({ kind: 'raw', values }) as Curve;
  const curves = Object.fromEntries(Object.keys(latency.metrics).map((metric) => [metric, many]));
  const text = page({ runs: [{ ...run('ws'), curves }] });
  expect(Buffer.byteLength(text)).toBeLessThan(800_000);
});
