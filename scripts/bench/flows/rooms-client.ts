import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';

/** `rooms-client URL CLIENTS` lives in rooms of six like `class.flow.ts`, with `ws` and nothing else. */
const [url, clients] = [process.argv[2], Number(process.argv[3])];
const padding = 'x'.repeat(50);
let slowestMs = 0;

function live(number: number): void {
  const socket = new WebSocket(`${url}/room/${Math.floor(number / 6)}`, { perMessageDeflate: false });
  let seq = 0;
  socket.onmessage = ({ data }) => {
    const { type, at } = JSON.parse(data as string) as { type: string; at: number };
    if (type === 'key') slowestMs = Math.max(slowestMs, performance.now() - at);
  };
  const send = (): void => socket.send(JSON.stringify({ type: 'key', seq: seq++, at: performance.now(), padding }));
  socket.onopen = () => void delay(Math.random() * 200).then(() => setInterval(send, 200));
  socket.onclose = ({ code }) => {
    throw new Error(`the server closed a connection with ${code}`);
  };
}

for (let number = 0; number < clients; number++) {
  live(number);
  await delay(4);
}
// The end of stdin ends the process.
process.stdin.on('end', () => process.exit()).resume();
