import { eventLoop, type LoopSource } from '../../../src/wire/event-loop.js';

/** The event loop that a metronome keeps its time on; a test injects its own. */
export interface Loop extends LoopSource {
  /** Runs `callback` after at least about `ms`; gives what calls it off. */
  after(ms: number, callback: () => void): () => void;
}

/** The loop of this process. */
export const loop: Loop = {
  ...eventLoop,
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};
