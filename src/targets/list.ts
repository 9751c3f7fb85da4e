import { anycable, anycablePro } from './anycable.js';
import { metronome, metronomeAnycable, metronomeShootout, metronomeSocketio } from './metronome.js';
import { socketio, socketioCsr } from './socketio.js';
import type { Target } from './target.js';
import { uws, uwsShootout } from './uws.js';
import { ws, wsShootout, wsShootoutCable } from './ws.js';

/** Every target that can be named, in the order in which scoreboards show them. */
export const targets: readonly Target[] = [
  ...[ws, uws, socketio, socketioCsr, anycable, anycablePro],
  ...[wsShootout, uwsShootout, wsShootoutCable],
  ...[metronome, metronomeSocketio, metronomeAnycable, metronomeShootout],
];

/** The target of that name, or undefined. */
export function targetByName(name: string): Target | undefined {
  return targets.find((target) => target.name === name);
}
