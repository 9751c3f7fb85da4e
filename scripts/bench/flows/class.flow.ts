import { defineFlow } from 'ringside-bench/flow';

const padding = 'x'.repeat(50);
let slowestMs = 0;

// Parses each message, and sends five a second by a timer of its own.
export default defineFlow({
  async client(me) {
    const socket = new me.WebSocket(`/room/${Math.floor(me.number / 6)}`);
    let seq = 0;
    socket.onmessage = ({ data }) => {
      const { type, at } = JSON.parse(data);
      if (type === 'key') slowestMs = Math.max(slowestMs, performance.now() - at);
    };
    await new Promise((resolve) => {
      socket.onopen = resolve;
    });
    await me.sleep(me.random() * 200);
    const send = () => socket.send(JSON.stringify({ type: 'key', seq: seq++, at: performance.now(), padding }));
    const timer = setInterval(send, 200);
    me.signal.addEventListener('abort', () => clearInterval(timer));
    await me.sleep('1h');
  },
});
