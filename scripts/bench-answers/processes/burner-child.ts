import { serve } from '../../bench-rig/processes/child.js';

const cycleMs = 100;

/** Works for a share of each tenth of a second. The short rest lets the process notice the end of its parent. */
function burn(share: number): void {
  const endMs = performance.now() + share * cycleMs;
  while (performance.now() < endMs);
  setTimeout(() => burn(share), (1 - share) * cycleMs);
}

const commands = {
  burn(share: number): number {
    setTimeout(() => burn(share));
    return process.pid;
  },
};

export type BurnerCommands = typeof commands;

serve(commands);
