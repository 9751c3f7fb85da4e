import type { ProgressView } from '../src/results/progress.js';
import type { Command } from './command.js';

type View = Omit<ProgressView, 'seconds'>;

/** Waits until a run with `--watch` shows what is asked for on its page; throws if it is over before. */
export async function shown(driver: Command, isThere: (view: View) => boolean): Promise<void> {
  const [, url = ''] = await driver.said('stderr', /(http:\/\/127\.0\.0\.1:\d+\/)\n/);
  const { body } = await fetch(`${url}events`);
  let unread = '';
  for await (const piece of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const blocks = (unread + piece).split('\n\n');
    unread = blocks.pop() ?? '';
    const views = blocks.flatMap((block) => /^event: view\ndata: (.*)$/s.exec(block)?.[1] ?? []);
    if (views.some((view) => isThere(JSON.parse(view) as View))) return;
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
