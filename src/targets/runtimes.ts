import { bunIn, bunNeed, node24Need, nodeIn } from './needs/list.js';
import { type FilledNeed, folderOf } from './needs/need.js';

/** A program that runs servers of `servers/` in the place of Ringside's own Node. */
export interface Runtime {
  name: string;
  need: FilledNeed;
  program(): string;
}

/** Bun, for the targets that are made for it. */
export const bunRuntime: Runtime = { name: 'bun', need: bunNeed, program: () => bunIn(folderOf(bunNeed)) };

/** Values of `--target-runtime`: other Nodes for the targets that run on Node. */
export const runtimes: readonly Runtime[] = [
  { name: 'node24', need: node24Need, program: () => nodeIn(folderOf(node24Need)) },
];
