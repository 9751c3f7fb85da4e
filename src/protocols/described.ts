import { cableOf } from './anycable/index.js';
import { plainProtocol } from './anycable/session.js';
import { describedProtocol } from './messages/index.js';

/** JSON over a bare WebSocket: the protocol of the targets `ws` and `uws`. */
export const wsJson = describedProtocol(
  {
    name: 'ws-json',
    summary: 'JSON over a bare WebSocket: subscribe, subscribed, then the published data as it is',
    subprotocols: [],
    defaultPath: '/ws',
    isPostedTo: true,
  },
  {
    subscribe: { send: '{"type":"subscribe","stream":"{stream}"}', confirmed: '"subscribed"' },
    refused: '"type":"error"',
    publish: { send: '{"type":"broadcast","stream":"{stream}","data":"{json}"}' },
    echo: { send: '{"type":"echo","payload":{data}}' },
    whisper: { send: '{"type":"whisper","stream":"{stream}","payload":{data}}' },
  },
);

/** The two messages of hashrocket's websocket-shootout: an echo, and a broadcast to every connected client. */
export const shootout = describedProtocol(
  {
    name: 'shootout',
    summary: 'websocket-shootout: JSON over a bare WebSocket, echo and broadcast to all that are connected, no streams',
    subprotocols: [],
    defaultPath: '/ws',
    isPostedTo: true,
    hasNoStreams: true,
  },
  {
    // It has no streams: a returned echo proves that the client is there.
    subscribe: { send: '{"type":"echo","payload":{"stream":"{stream}"}}', confirmed: '"stream"' },
    publish: { send: '{"type":"broadcast","payload":{data}}', acked: 'broadcastResult{data}' },
    echo: { send: '{"type":"echo","payload":{data}}' },
  },
);

const identifier = JSON.stringify({ channel: 'BenchmarkChannel' });
/** One channel for everything, without streams. A client in it may act, and receives all broadcasts. */
const confirmed = 'confirm_subscription';

/** Returns an action of the channel. The payload is a string, as it is in JSON within JSON. */
function action(name: string): string {
  return JSON.stringify({ command: 'message', identifier, data: `{"action":"${name}","payload":"{data}"}` });
}

/** The messages of websocket-shootout as actions of an Action Cable channel. */
export const shootoutCable = describedProtocol(
  {
    ...cableOf(plainProtocol),
    name: 'shootout-cable',
    summary: 'websocket-shootout over Action Cable: echo and broadcast as actions of BenchmarkChannel',
    isPostedTo: true,
    hasNoStreams: true,
  },
  {
    hello: JSON.stringify({ command: 'subscribe', identifier }),
    ready: confirmed,
    subscribe: { confirmed },
    refused: ['reject_subscription', '"type":"disconnect"'],
    publish: { send: action('broadcast'), acked: 'broadcastResult{data}' },
    echo: { send: action('echo') },
  },
);
