import { WebSocket } from 'engine.io-client';
import { defineFlow } from 'ringside-bench/flow';
import { io } from 'socket.io-client';

// Rooms over Socket.IO with its real client: npm install socket.io-client engine.io-client
//   node examples/servers/socketio-rooms.mjs
//   npx ringside run flow examples/flows/socketio-rooms.ts --target-url ws://127.0.0.1:4009 --clients 50
export default defineFlow({
  metrics: { said: { meaning: 'from a line to its acknowledgement', thresholds: ['p99<200ms'] } },

  async client(me) {
    // On Node, Socket.IO takes sockets of the package ws. This transport takes those of the engine.
    class OnEngine extends WebSocket {
      override createSocket(url: string) {
        return new me.WebSocket(url);
      }
    }
    const socket = io(me.target.origin, { transports: [OnEngine], reconnection: false, forceNew: true });
    await new Promise((resolve, reject) => socket.on('connect', () => resolve(true)).on('connect_error', reject));

    // Rooms of five. The server numbers the lines of a room; each member counts the numbers that it misses.
    const room = `room${Math.floor(me.number / 5)}`;
    const lines = me.stream('lines', { seq: ({ seq }) => seq });
    socket.on('said', (line) => lines.saw(line));
    await socket.emitWithAck('join', room);

    for (let n = 0; n < 10; n++) {
      const text = `${me.number}:${n}`;
      const answer = await me.time('said', () => socket.timeout(5000).emitWithAck('say', room, text));
      me.check('the acknowledgement is mine', answer === text);
      await me.think('500ms');
    }
    socket.disconnect();
  },
});
