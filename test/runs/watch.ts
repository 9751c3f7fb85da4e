import { setTimeout as delay } from 'node:timers/promises';
import type { RunResult } from '../../src/results/result.js';
import { browser } from '../browser.js';
import type { Command } from '../command.js';
import { latencyFlags } from '../latency.js';
import { workplace } from '../workplace.js';
import type { Column, LiveChart } from './live-charts.js';

export const place = workplace();

export const { visit } = browser();

/** A watched run of seven seconds, and the address of its page. */
export async function watched(
  args: readonly string[],
  subscribers = 11,
  broadcasts = 67,
  env: Record<string, string> = {},
): Promise<{ command: Command; url: string }> {
  const flags = [...latencyFlags(subscribers, broadcasts), '--rate', '10/s', '--watch', ...args];
  const command = place.ringside(['run', 'latency', '--target', 'ws', ...flags], env);
  const [, url = ''] = await command.said('stderr', /(http:\/\/127\.0\.0\.1:\d+\/)\n/);
  return { command, url };
}

/** Everything that the page shows to one who reloads it twice a second, to the end of its server. */
export async function pagesOf(url: string): Promise<string[]> {
  const pages: string[] = [];
  for (;;) {
    const page = await fetch(url).then(
      (answer) => answer.text(),
      () => undefined,
    );
    if (page === undefined) return pages;
    pages.push(page);
    await delay(500);
  }
}

export const isLive = (page: string): boolean => /<title>[^<]*: (running|over)</.test(page);

/** The n-th line of a chart; -1 for the last. */
export function line(charts: readonly LiveChart[], id: string, n = 0): Column {
  const found = charts.find((chart) => chart.id === `live-${id}`)?.lines.at(n);
  if (!found) throw new Error(`no chart live-${id} with a line ${n}`);
  return found.points.y;
}

export const numbers = (values: readonly (number | null)[]): number[] => values.flatMap((value) => value ?? []);

/** The report's deliveries per second of a shard, to the digits that a page is told. */
export const reported = ({ environment: { gauges } }: RunResult, shard: number): number[] =>
  (gauges.find(({ source, name }) => source === `shard ${shard}` && name === 'deliveriesPerSecond')?.points ?? []).map(
    ({ value }) => Number(value.toPrecision(6)),
  );
