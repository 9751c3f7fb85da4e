import { type CableProtocol, extendedProtocol, overCable, plainProtocol } from '../anycable/cable.js';
import { channelOf, railsOptions } from './channel.js';
import { RailsSession } from './session.js';

const actions = {
  // The answer to a broadcast's sender.
  acknowledgement: 'broadcastResult',
  session: (sink, options) => new RailsSession(sink, channelOf(options)),
  clients: async () => (await import('./library.js')).RailsClients,
} satisfies Partial<CableProtocol>;

/** Action Cable itself has no whispers, and no history. */
export const rails = overCable(plainProtocol, {
  ...actions,
  name: 'rails',
  summary: 'Rails Action Cable: a channel with the stream as a parameter, echo and broadcast as its actions',
  verbs: ['subscribe', 'echo', 'broadcast', 'acknowledge'],
  options: railsOptions,
});

/** AnyCable in front of the same application adds both. */
export const railsAnycable = overCable(extendedProtocol, {
  ...actions,
  name: 'rails-anycable',
  summary: 'the same channel behind AnyCable, over actioncable-v1-ext-json: resumed from history, with whispers',
  verbs: ['subscribe', 'echo', 'broadcast', 'acknowledge', 'whisper', 'resume'],
});
