import type { Command } from '../command.js';
import { workplace } from '../workplace.js';

export const place = workplace();

export const eventually = { timeout: 60_000 };

export const start = (flags: string[]): Command => place.ringside(['run', 'latency', '--target', 'ws', ...flags]);

/** Waits until broadcasts are under way, those of the warm-up behind it. */
export const midRun = (driver: Command) => driver.said('stderr', /publish .*published (?:[7-9]|\d{2,})/);

/** The one process of a run whose command line holds `part`, or the last of several. */
export function pidOf(driver: Command, part: string): number {
  const found = driver.family(part).at(-1);
  if (!found) throw new Error(`no process with ${part} among ${JSON.stringify(driver.family())}`);
  return found.pid;
}

export const isTarget = 'servers/ws/main.js';

export const isShard = ' bench-runner ';
