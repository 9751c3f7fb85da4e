import { toldOf } from '../../../results/over-time/readings.js';
import type { Report } from '../runs.js';
import { type Chart, styleOf } from './chart.js';

/** What a scenario draws against the number of clients, with the lines of all runs in each chart. */
export function clientCharts({ runs, scenario }: Report): Chart[] {
  const drawn = runs.map(({ label, result }) => ({
    label,
    charts: scenario.clientCharts?.(result.metrics, result.ledger, toldOf(result)) ?? [],
  }));
  const titles = drawn[0]?.charts ?? [];
  return titles.flatMap(({ title, unit }, index): Chart[] => {
    const lines = drawn.flatMap(({ label, charts }) =>
      (charts[index]?.lines ?? []).map((line) => ({
        label: runs.length > 1 ? `${label}, ${line.label}` : line.label,
        at: new Map((charts[index]?.clients ?? []).map((clients, n) => [clients, line.values[n] ?? null])),
      })),
    );
    const clients = [...new Set(lines.flatMap(({ at }) => [...at.keys()]))].sort((a, b) => a - b);
    if (clients.length < 2) return [];
    return [
      {
        id: `clients-${index}`,
        title,
        summary: `${title} while each hundred of clients came in.`,
        x: { label: 'clients', scale: 'linear' },
        y: { label: unit, scale: 'linear' },
        lines: lines.map(({ label, at }, n) => ({
          ...{ label, ...styleOf(n), look: 'line' as const },
          points: { x: clients, y: clients.map((each) => at.get(each) ?? null) },
        })),
        bands: [],
        group: 'clients',
        size: 'large',
        table: {
          head: ['clients', ...lines.map(({ label }) => label)],
          rows: clients.map((each) => [each, ...lines.map(({ at }) => at.get(each) ?? null)]),
        },
        tableNote: '',
      },
    ];
  });
}
