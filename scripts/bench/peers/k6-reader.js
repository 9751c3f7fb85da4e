/* global __ENV */
import { Counter, Trend } from 'k6/metrics';
import { WebSocket } from 'k6/websockets';

// Subscribers as one writes them with k6: a virtual user for each, which parses its messages.
const messages = new Counter('ringside_messages');
const latency = new Trend('ringside_latency');
const clients = Number(__ENV.CLIENTS);

export const options = {
  scenarios: {
    subscribers: { executor: 'per-vu-iterations', vus: clients, iterations: 1, maxDuration: '10m', gracefulStop: '1s' },
  },
  summaryTrendStats: ['med', 'p(90)', 'p(99)', 'max'],
};

// biome-ignore lint/style/noDefaultExport: k6 runs the default export
export default function subscribe() {
  const socket = new WebSocket(__ENV.URL);
  socket.addEventListener('open', () => socket.send(__ENV.SUBSCRIPTION));
  socket.addEventListener('message', ({ data }) => {
    const { sentAtMs } = JSON.parse(data);
    if (sentAtMs !== undefined) latency.add(Date.now() - sentAtMs);
    messages.add(1);
  });
}

export function handleSummary({ metrics }) {
  const { count } = metrics.ringside_messages.values;
  const { med, 'p(90)': p90Ms, 'p(99)': p99Ms, max } = metrics.ringside_latency?.values ?? {};
  return { stdout: JSON.stringify({ messages: count, p50Ms: med, p90Ms, p99Ms, maxMs: max }) };
}
