import { describe, expect, it } from 'vitest';
import { latency } from '../../../../test/kept-golden.js';
import { type Made, pairedComparison } from '../../../../test/paired-golden.js';
import type { JudgedRatio } from '../../../results/comparison.js';
import { renderPage } from '../page.js';

function page(
  made: Made,
  { ratioThresholds, ...more }: { disagreeing?: string; ratioThresholds?: JudgedRatio[] } = {},
): string {
  const scoreboard = { ...pairedComparison(made), ...(ratioThresholds && { ratioThresholds }) };
  const runs = scoreboard.rows.flatMap(({ target, runs: [run] }) =>
    run ? [{ label: target, ...run, curves: {} }] : [],
  );
  const assets = { uplotScript: 'library()', uplotStyle: '', drawScript: 'draw()' };
  return renderPage({ scenario: latency, runs, difference: '', chosen: '', scoreboard, assets, ...more });
}

const three = { uws: 1, ws: 1.45, socketio: 2.03 };
const ids = (text: string): string[] => [...text.matchAll(/<section id="([^"]+)"/g)].map((match) => match[1] ?? '');
const count = (text: string, part: RegExp): number => [...text.matchAll(part)].length;

describe('the page of a paired comparison', () => {
  it('opens with the answer, then ratios, latencies, ledger, and the evidence folded', () => {
    const text = page({ times: three });
    expect(ids(text)).toEqual(['ratios', 'latency', 'ledger', 'evidence', 'job', 'how-to-read']);
    expect(text.indexOf('<h1>uws is the fastest.')).toBeLessThan(text.indexOf('<section'));
    expect(text).not.toContain('<details open');
  });

  it('draws each target against the fastest and the control, and each with its bracket and tail', () => {
    const [, ratios = '', latencies = ''] = page({ times: three }).split('<section id=');
    const [drawn = ''] = ratios.split('<ul class="key">');
    expect(count(drawn, /<circle class="apart"/g)).toBe(2);
    expect(count(drawn, /<line class="joint /g)).toBe(3);
    expect(count(drawn, /<rect class="within"/g)).toBe(1);
    const [brackets = ''] = latencies.split('<ul class="key">');
    expect(count(brackets, /<rect class="bracket"/g)).toBe(3);
    expect(count(brackets, /<circle class="tail"/g)).toBe(3);
  });

  it('draws no ratios where no order is claimed, and keeps them in the evidence', () => {
    const text = page({ times: three, twinTimes: 3 });
    expect(ids(text)).not.toContain('ratios');
    const evidence = text.slice(text.indexOf('<section id="evidence"'));
    expect(count(evidence.split('<ul class="key">')[0] ?? '', /<line class="own /g)).toBe(4);
  });

  it('adds up the ledgers of all starts', () => {
    const text = page({ times: three, starts: 4 });
    const one = pairedComparison({ times: three, starts: 1 }).rows[0]?.runs[0]?.result.ledger.expected;
    expect(text).toContain(`<data value="${4 * Number(one)}">`);
  });

  it('stands without figures', () => {
    expect(ids(page({ times: { uws: 1 }, starts: 0, target: () => ({ p50Us: null, tail: null }) }))).toContain(
      'evidence',
    );
  });
});
