import type { TargetStats } from '../../src/targets/target.js';

/** What a sibling is started with, as JSON in its only argument. */
export interface SiblingStart {
  host: string;
  /** 0 for a free one. */
  port: number;
  /** Whether another one takes its place after its end. */
  isRevived: boolean;
  facts: object;
}

/** Reaches the subscribers of whichever process receives it. */
export interface Publish {
  kind: 'publish';
  stream: string;
  text: string;
}

/** What the first process says to a sibling, over the IPC channel. */
export type ToSibling = Publish | { kind: 'askStats' };

/** What a sibling says to the first process: `listening` first, then one `stats` per `askStats`. */
export type ToFirst = Publish | { kind: 'listening'; port: number } | { kind: 'stats'; stats: TargetStats };
