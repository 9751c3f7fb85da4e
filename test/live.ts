import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from './command.js';
import { chartsIn } from './runs/live-charts.js';

/** What the page of a run shows: its stage, and its figures by their words. */
interface Shown {
  stage: string | undefined;
  figures: Readonly<Record<string, number>>;
  /** Deliveries of each shard in the last second; null where it told of none. */
  shardDeliveries: readonly (number | null)[];
}

/** Reads the page of a run; undefined once the run is over. */
async function pageAt(url: string): Promise<Shown | undefined> {
  const answer = await fetch(url).catch(() => undefined);
  if (!answer?.headers.has('refresh')) return undefined;
  const text = await answer.text();
  const figures = [...text.matchAll(/<dt>([^<]*)<\/dt><dd>([\d.,]+)<\/dd>/g)].map(
    ([, name = '', value = '']): [string, number] => [name, Number(value.replaceAll(',', ''))],
  );
  const charts = chartsIn(text).filter(({ id }) => /^live-shard-\d+-deliveriesPerSecond$/.test(id));
  const shardDeliveries = charts.map(({ lines }) => lines[0]?.points.y.at(-1) ?? null);
  return { shardDeliveries, stage: /id="status">Stage: (\w+)/.exec(text)?.[1], figures: Object.fromEntries(figures) };
}

/** Waits until a run with `--watch` shows what is asked for on its page; throws if it is over before. */
export async function shown(driver: Command, isThere: (view: Shown) => boolean): Promise<void> {
  const [, url = ''] = await driver.said('stderr', /(http:\/\/127\.0\.0\.1:\d+\/)\n/);
  for (let view = await pageAt(url); view !== undefined; view = await pageAt(url)) {
    if (isThere(view)) return;
    await delay(50);
  }
  throw new Error(`it ended and never showed ${isThere}: ${JSON.stringify(await driver.ended)}`);
}

/** Waits until so many broadcasts were published, those of the warm-up among them. */
export function published(driver: Command, atLeast: number): Promise<void> {
  return shown(driver, ({ stage, figures }) => stage === 'publish' && (figures.published ?? 0) >= atLeast);
}

/** Waits until the ramp has begun to open clients. */
export function started(driver: Command): Promise<void> {
  return shown(driver, ({ stage, figures }) => stage === 'ramp' && (figures.started ?? 0) > 0);
}

/** Waits until so many clients are subscribed in that stage. */
export function subscribed(driver: Command, inStage: 'ramp' | 'hold', atLeast: number): Promise<void> {
  return shown(driver, ({ stage, figures }) => stage === inStage && (figures.subscribers ?? 0) >= atLeast);
}
