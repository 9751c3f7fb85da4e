import { isOnMusl } from '../measure/rig/machine.js';

/** What to do where uWebSockets.js can't be loaded: it has binaries for some versions of Node, and none for musl. */
export function uwsHint(isMusl = isOnMusl()): string {
  return isMusl
    ? 'uWebSockets.js has no binary for musl. Take ws, socketio or another target without it, or a system with glibc.'
    : 'This optional dependency has a binary per platform: run npm ci with Node 20 or 22, without --omit=optional.';
}
