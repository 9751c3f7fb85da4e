import { anycable } from './anycable.js';
import type { Dialect } from './dialect.js';
import { shootout } from './shootout.js';
import { socketio } from './socketio.js';
import { wsJson } from './ws-json.js';

/** What the metronome speaks, by the names that `--protocol` takes. */
export const dialects: Readonly<Record<'ws-json' | 'socketio' | 'anycable' | 'shootout', Dialect>> = {
  'ws-json': wsJson,
  socketio,
  anycable,
  shootout,
};
