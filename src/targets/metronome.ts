import { managedServer } from './launch/managed-server.js';
import { metronomeOptions } from './metronome/orders.js';
import type { Target } from './target.js';

function metronomeOf(protocol: string, wsPath: string): Target {
  const isDefault = protocol === 'ws-json';
  return managedServer({
    name: isDefault ? 'metronome' : `metronome-${protocol}`,
    summary: `known truth over ${protocol}: delays, drops, duplicates and stalls on command, and keeps a record of it`,
    protocol,
    folder: 'metronome',
    flags: isDefault ? [] : ['--protocol', protocol],
    wsPath,
    options: metronomeOptions,
    isKnownTruth: true,
  });
}

/** The target of known truth: its own record says what a rig should measure. */
export const metronome = metronomeOf('ws-json', '/ws');

/** The same in the frames of Socket.IO. */
export const metronomeSocketio = metronomeOf('socketio', '/socket.io/?EIO=4&transport=websocket');

/** The same in the frames of AnyCable, extended or plain as the client offers. */
export const metronomeAnycable = metronomeOf('anycable', '/cable');

/** The same in the messages of websocket-shootout. */
export const metronomeShootout = metronomeOf('shootout', '/shootout');
