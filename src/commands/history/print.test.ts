import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { expectGolden } from '../../../test/golden.js';
import { goldenRun, limited, voided } from '../../../test/kept-golden.js';
import { terminalText } from '../../render/document/terminal.js';
import { historyOf } from './history.js';
import { historyCsv, historyDocument } from './print.js';

const at = (day: number): string => `2026-11-${day}T09:40:15.682Z`;
const newer = { ...goldenRun('ws', 1).target, versions: { node: '20.20.2', ws: '8.24.0' } };
const runs = [
  goldenRun('ws', 1, { startedAt: at(21) }),
  goldenRun('ws', 1.5, { startedAt: at(22), verdict: limited }),
  goldenRun('ws', 100, { startedAt: at(23), verdict: voided }),
  goldenRun('ws', 2, { startedAt: at(24), target: newer }),
  goldenRun('ws', 1.25, { startedAt: at(25), target: newer }),
].map((result, index) => ({ directory: `results/${index}`, result }));
const found = historyOf('delivery.p99', runs, []);

describe('a history for the terminal', () => {
  it('has date, value, interval, verdict and bar, and leaves void runs out of the scale', async () => {
    await expectGolden('history.txt', {
      'five runs': terminalText(historyDocument(found), { isColored: false, columns: 200 }),
    });
  });

  it('says first when it changed, by how much, and what else did', async () => {
    const nights = Array.from({ length: 12 }, (_, night) => {
      const times = (1 + (night % 3) / 100) * (night < 6 ? 1 : 1.5);
      return goldenRun('ws', times, { startedAt: at(10 + night), ...(night >= 6 && { target: newer }) });
    }).map((result, index) => ({ directory: `results/${index}`, result }));
    const text = terminalText(historyDocument(historyOf('delivery.p99', nights, [])), {
      isColored: false,
      columns: 80,
    });
    await expectGolden('history-change.txt', { 'twelve nights': text });
  });

  it('has a dot for a void run', () => {
    const nothing = historyOf('delivery.p99', runs.slice(2, 3), []);
    expect(terminalText(historyDocument(nothing), { isColored: false, columns: 200 })).toMatch(/^· {2}a change shows/m);
  });
});

it('has a row for each valid run as CSV, in microseconds', () => {
  const rows = parse(historyCsv(found), { columns: true }) as Record<string, string>[];
  expect(rows.map(({ time, verdict, ...row }) => [time, Number(row['delivery.p99']), verdict])).toEqual([
    [at(21), 5003, 'clean'],
    [at(22), 7504.5, 'limited'],
    [at(24), 10_006, 'clean'],
    [at(25), 6253.75, 'clean'],
  ]);
  expect(rows[2]).toMatchObject({
    unit: 'us',
    scenario: 'latency',
    target: 'ws',
    changed: 'version of ws: 8.23.0 and 8.24.0',
  });
});
