import { type OwnServer, ownServer } from './launch/own-server.js';
import { metronomeOptions } from './metronome/orders.js';
import type { Target } from './target.js';

function metronomeOf(own: Pick<OwnServer, 'name' | 'protocol' | 'wsPath'>, flags: readonly string[]): Target {
  return ownServer({
    ...own,
    summary: `known truth over ${own.protocol}: delays, drops, duplicates and stalls as told, and keeps a record of it`,
    folder: 'metronome',
    flags,
    options: metronomeOptions,
    isKnownTruth: true,
    hint: 'Install the dependencies: npm ci.',
  });
}

/** The target of known truth: what a rig measures of it can be held against its own record. */
export const metronome = metronomeOf({ name: 'metronome', protocol: 'ws-json', wsPath: '/ws' }, []);

/** The same in the frames of Socket.IO. */
export const metronomeSocketio = metronomeOf(
  { name: 'metronome-socketio', protocol: 'socketio', wsPath: '/socket.io/?EIO=4&transport=websocket' },
  ['--protocol', 'socketio'],
);

/** The same in the frames of AnyCable, extended or, for a client that offers nothing else, plain. */
export const metronomeAnycable = metronomeOf({ name: 'metronome-anycable', protocol: 'anycable', wsPath: '/cable' }, [
  '--protocol',
  'anycable',
]);

/** The same in the messages of websocket-shootout. */
export const metronomeShootout = metronomeOf(
  { name: 'metronome-shootout', protocol: 'shootout', wsPath: '/shootout' },
  ['--protocol', 'shootout'],
);
