import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';

/**
 * `ws-reader ADDRESS PORT PATH CLIENTS CONNECTS-PER-SECOND SOURCES SUBSCRIPTION` runs subscribers that use `ws` in the
 * usual way and parse their messages. The contract is that of `scripts/bench/floor/main.c`.
 */
const [address, port, path, clients, connectsPerSecond, sources, subscription] = process.argv.slice(2) as [
  ...[string, string, string, string, string, string, string],
];
const localAddresses = sources === '-' ? [] : sources.split(',');
const latenciesMs: number[] = [];
let [opened, messages] = [0, 0];

function take(text: string): void {
  const { sentAtMs } = JSON.parse(text) as { sentAtMs?: number };
  if (sentAtMs !== undefined) latenciesMs.push(performance.timeOrigin + performance.now() - sentAtMs);
  messages++;
}

function open(number: number): void {
  const localAddress = localAddresses[number % localAddresses.length];
  const socket = new WebSocket(`ws://${address}:${port}${path}`, localAddress === undefined ? {} : { localAddress });
  socket.on('open', () => {
    opened++;
    socket.send(subscription);
  });
  socket.on('message', (data) => take(data.toString()));
  socket.on('close', (code) => {
    throw new Error(`the server closed a connection with ${code}`);
  });
}

/** Returns the p99 by nearest rank, or null without a latency. */
function p99Ms(): number | null {
  const sorted = Float64Array.from(latenciesMs).sort();
  return sorted[Math.ceil(sorted.length * 0.99) - 1] ?? null;
}

createInterface(process.stdin)
  .on('line', () => process.stdout.write(`${JSON.stringify({ opened, messages, p99Ms: p99Ms() })}\n`))
  .on('close', () => process.exit());

const startMs = performance.now();
for (let number = 0; number < Number(clients); number++) {
  const earlyMs = startMs + (number * 1000) / Number(connectsPerSecond) - performance.now();
  if (earlyMs > 0) await delay(earlyMs);
  open(number);
}
