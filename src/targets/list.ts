import { anycable } from './anycable.js';
import { anycablePro } from './anycable-pro.js';
import { metronome, metronomeAnycable, metronomeShootout, metronomeSocketio } from './metronome.js';
import { socketio } from './socketio.js';
import { socketioCsr } from './socketio-csr.js';
import type { Target } from './target.js';
import { uws } from './uws.js';
import { uwsShootout } from './uws-shootout.js';
import { ws } from './ws.js';
import { wsShootout } from './ws-shootout.js';
import { wsShootoutCable } from './ws-shootout-cable.js';

/** Every target that can be named, in the order in which scoreboards show them. */
export const targets: readonly Target[] = [
  ws,
  uws,
  socketio,
  socketioCsr,
  anycable,
  anycablePro,
  wsShootout,
  uwsShootout,
  wsShootoutCable,
  metronome,
  metronomeSocketio,
  metronomeAnycable,
  metronomeShootout,
];

/** The target of that name, or undefined. */
export function targetByName(name: string): Target | undefined {
  return targets.find((target) => target.name === name);
}
