import { built } from '../built.js';
import { idleFlags } from '../capacity.js';
import type { workplace } from '../workplace.js';

/** A run of 211 connections over two bench-runners and two processes of uws, each with so many descriptors at most. */
export function fewDescriptors(place: ReturnType<typeof workplace>, limit: number, env: Record<string, string> = {}) {
  const ringside = `"${process.execPath}" "${built('src/cli/main.js')}"`;
  const flags = idleFlags(211, ['--local-shards', '2', '--target-processes', '2', '--engine', 'js']).join(' ');
  return place.start('bash', ['-c', `ulimit -n ${limit} && exec ${ringside} run idle --target uws ${flags}`], env);
}
