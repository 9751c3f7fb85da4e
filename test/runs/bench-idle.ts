import { built } from '../built.js';
import type { Command } from '../command.js';
import { workplace } from '../workplace.js';

export const place = workplace();
const script = built('scripts/bench-idle.js');

/** What the environment of the tests may hold is not theirs. */
const bare = { TARGET: undefined, PER_SHARD_N: undefined, HOLD_SEC: undefined, RAMP_PER_SEC: undefined };

/** Starts `npm run bench:idle:multi` with those flags and variables. */
export function idle(args: readonly string[], env: Record<string, string>): Command {
  return place.start(process.execPath, [script, ...args], { ...bare, ...env });
}
