/* global __ENV, __VU */
import { Counter, Trend } from 'k6/metrics';
import { WebSocket } from 'k6/websockets';

// The same life as in `class.flow.ts`, as one writes it with k6.
const [messages, lag] = [new Counter('ringside_messages'), new Trend('ringside_lag')];
const vus = Number(__ENV.CLIENTS);
const padding = 'x'.repeat(50);

export const options = {
  scenarios: { rooms: { executor: 'per-vu-iterations', vus, iterations: 1, maxDuration: '10m', gracefulStop: '1s' } },
};

// biome-ignore lint/style/noDefaultExport: k6 runs the default export
export default function live() {
  const socket = new WebSocket(`${__ENV.URL}/room/${Math.floor((__VU - 1) / 6)}`);
  let seq = 0;
  socket.onmessage = ({ data }) => {
    const { type, at } = JSON.parse(data);
    if (type !== 'key') return;
    messages.add(1);
    lag.add(Date.now() - at);
  };
  const send = () => socket.send(JSON.stringify({ type: 'key', seq: seq++, at: Date.now(), padding }));
  socket.onopen = () => setTimeout(() => setInterval(send, 200), Math.random() * 200);
}
