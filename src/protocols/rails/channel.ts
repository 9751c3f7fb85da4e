import type { Channel } from '../anycable/stream-name.js';

/** The class of the channel, as websocket-shootout and its successors name it. */
export const channelClass = 'BenchmarkChannel';

/** The stream of clients that only want echoes. */
export const echoStream = 'echo';

/** A channel of a Rails application, with the stream as a parameter. */
export const railsChannel: Channel = {
  identifierOf: (stream) => JSON.stringify({ channel: channelClass, stream_name: stream }),
  nameOf: (stream) => stream,
};
