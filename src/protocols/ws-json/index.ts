import { describedProtocol } from '../messages/index.js';

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
