import { heldResult } from '../capacity.js';
import type { Command } from '../command.js';
import { targetFlags } from '../latency.js';
import { workplace } from '../workplace.js';

export const place = workplace();

export const metronome = 'servers/metronome/main.js';

export const anycableGo = process.env.ANYCABLE_GO_BIN;

/** Runs idle against a target of ours. */
export const ours = (target: string, flags: string[], env: Record<string, string | undefined> = {}): Command =>
  place.ringside(['run', 'idle', '--target', target, ...flags], env);

/** Runs idle against a target with walls of its own. */
export async function walled(walls: string[], flags: string[], breaks: string[] = []) {
  const target = await place.serve(metronome, walls);
  const ended = await place.run(['run', 'idle', ...targetFlags(target), ...flags]);
  target.command.kill('SIGKILL');
  return { ended, result: heldResult(ended, breaks) };
}

export const inHold = (driver: Command) => driver.said('stderr', / hold .*subscribers 101/);

export const heldAll = (n: number) => ({ asked: n, opened: n, held: n, proven: n, lost: 0 });
