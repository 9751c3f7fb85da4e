import type { TargetStats } from '../../src/targets/target.js';

/** Reaches the subscribers of whichever process receives it. */
export interface Publish {
  kind: 'publish';
  stream: string;
  text: string;
}

/** What the first process says to a sibling, over the IPC channel. */
export type ToSibling = Publish | { kind: 'askStats' };

/** What a sibling says to the first process: `listening` once, before anything else, and one `stats` for each `askStats`, in order. */
export type ToFirst = Publish | { kind: 'listening'; port: number } | { kind: 'stats'; stats: TargetStats };
