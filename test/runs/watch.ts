import type { LivePoint } from '../../src/render/html/live/history.js';
import type { RunResult } from '../../src/results/result.js';
import { browser } from '../browser.js';
import type { Command } from '../command.js';
import { latencyFlags } from '../latency.js';
import { workplace } from '../workplace.js';

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

export type Column = (number | null)[];

interface Told {
  event: string;
  data: unknown;
}

/** Everything that the page's server tells, to its end. */
export async function events(url: string): Promise<Told[]> {
  const text = await (await fetch(`${url}events`)).text();
  return text
    .split('\n\n')
    .filter((block) => block !== '')
    .map((block) => {
      const [, event = '', data = ''] = /^event: (.*)\ndata: (.*)$/s.exec(block) ?? [];
      return { event, data: JSON.parse(data) };
    });
}

export const pointsOf = (told: readonly Told[]): LivePoint[] =>
  told.filter(({ event }) => event === 'points').flatMap(({ data }) => data as LivePoint[]);

/** By chart, what the n-th line has at each point. */
export const line = (points: readonly LivePoint[], id: string, n = 0): (number | null)[] =>
  points.map(({ y }) => y[`live-${id}`]?.[n] ?? null);

export const numbers = (values: readonly (number | null)[]): number[] => values.flatMap((value) => value ?? []);

/** The report's deliveries per second of a shard, to the digits that a page is told. */
export const reported = ({ environment: { gauges } }: RunResult, shard: number): number[] =>
  (gauges.find(({ source, name }) => source === `shard ${shard}` && name === 'deliveriesPerSecond')?.points ?? []).map(
    ({ value }) => Number(value.toPrecision(6)),
  );
