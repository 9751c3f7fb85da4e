import { heldResult } from '../capacity.js';
import type { Command } from '../command.js';
import { targetFlags } from '../latency.js';
import { subscribed } from '../live.js';
import { workplace } from '../workplace.js';

export const place = workplace();

export const metronome = 'servers/metronome/main.js';

export const anycableGo = process.env.ANYCABLE_GO_BIN;

/** Runs idle against a managed target. */
export const managed = (target: string, flags: string[], env: Record<string, string | undefined> = {}): Command =>
  place.ringside(['run', 'idle', '--target', target, '--watch', ...flags], env);

/** The same to its end, over running bench-runners. */
export const measured = (target: string, flags: string[], shards = 1, env: Record<string, string | undefined> = {}) =>
  place.measure(['run', 'idle', '--target', target, ...flags], shards, env);

/** Runs idle against a target with walls of its own. */
export async function walled(walls: string[], flags: string[], breaks = 0) {
  const target = await place.serve(metronome, walls);
  const ended = await place.measure(['run', 'idle', ...targetFlags(target), ...flags]);
  target.command.kill('SIGKILL');
  return { ended, result: heldResult(ended, breaks) };
}

export const inHold = (driver: Command) => subscribed(driver, 'hold', 101);

export const heldAll = (n: number) => ({ asked: n, opened: n, held: n, proven: n, lost: 0 });
