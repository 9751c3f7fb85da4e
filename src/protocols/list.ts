import { z } from 'zod';
import { actioncable, anycable } from './anycable/index.js';
import type { Protocol } from './protocol.js';
import { shootout, shootoutCable } from './shootout/index.js';
import { socketio } from './socketio/index.js';
import { socketioOptions } from './socketio/options.js';
import { wsJson } from './ws-json/index.js';

/** Every application protocol that Ringside speaks. */
export const protocols: readonly Protocol[] = [wsJson, socketio, anycable, actioncable, shootout, shootoutCable];

/** The protocol of that name, or undefined. */
export function protocolByName(name: string): Protocol | undefined {
  return protocols.find((protocol) => protocol.name === name);
}

/** The options of all protocols. */
export const protocolOptions = z.strictObject({ ...socketioOptions.shape });
