import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer as createPlainServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { median } from 'simple-statistics';
import { listen, shut } from '../../../servers/http-side.js';
import { EndpointsByPath, Streams } from '../../../servers/ws/endpoint.js';
import { wsJsonEndpoint } from '../../../servers/ws/shootout.js';
import { payloadFormat } from '../../../src/measure/samples/payload.js';
import { targetByName } from '../../../src/targets/list.js';
import type { Bench, BenchContext } from '../bench.js';
import { audienceJob, withAudience } from '../processes/audience.js';
import { withDirectory } from '../processes/places.js';

const subscribers = 1000;
const payloadBytes = 200;
/** Compiles the hot path. */
const warmUp = 50;
const ratePerSecond = 20;
/** TLS handshakes use most of a core, and are not measured. */
const rampRatePerSecond = 100;
const patience = { connectTimeoutMs: 60_000, subscribeTimeoutMs: 60_000 };

const schemes = ['ws', 'wss'] as const;
type Scheme = (typeof schemes)[number];

/**
 * Measures the CPU per delivery of the JavaScript engine with and without TLS, from socket to ledger. The server runs
 * in this process.
 */
export const tls: Bench = {
  name: 'tls',
  bounds: [],
  isOnRequest: true,
  async run(context) {
    const costs: Record<Scheme, number[]> = { ws: [], wss: [] };
    for (let turn = 0; turn < (context.isQuick ? 2 : 8); turn++) {
      const scheme = schemes[turn % 2] as Scheme;
      const us = await withDirectory((directory) => measure(scheme, directory, context));
      costs[scheme].push(us);
      context.say(`  ${scheme}: ${us.toFixed(2)} us`);
    }
    const [plain, secure] = schemes.map((scheme) => median(costs[scheme])) as [number, number];
    const rounds = `median of ${costs.ws.length} rounds`;
    return [
      { what: 'CPU per delivery over TLS, JavaScript engine', measured: `${secure.toFixed(2)} us`, detail: rounds },
      { what: '  without TLS', measured: `${plain.toFixed(2)} us`, detail: `ratio ${(secure / plain).toFixed(2)}` },
    ];
  },
};

/** Returns the CPU in microseconds per delivery of a process with all subscribers. */
async function measure(scheme: Scheme, directory: string, { signal, isQuick }: BenchContext): Promise<number> {
  const broadcasts = isQuick ? 100 : 300;
  const streams = new Streams();
  const server = serverOf(scheme, directory);
  const served = new EndpointsByPath(server, [wsJsonEndpoint(streams)]);
  const [port] = await listen(server, '127.0.0.1', 0);
  try {
    const wsUrl = `${scheme}://127.0.0.1:${port}/ws`;
    const httpUrl = `http://127.0.0.1:${port}/`;
    const endpoints = { wsUrl, wsUrls: [wsUrl], publishUrl: httpUrl, healthUrl: httpUrl };
    const publishing = { warmUp, broadcasts, ratePerSecond };
    const order = audienceJob({ endpoints, target: targetByName('ws')! }, 'wire', subscribers, publishing);
    const load = { client: 'wire', engine: 'js', isInsecure: true, ...patience };
    const job = { ...order, options: { ...order.options, rampRatePerSecond }, load };
    const format = payloadFormat(job.runId, payloadBytes);
    return await withAudience(job, signal, async (audience) => {
      const broadcast = async (first: number, count: number): Promise<void> => {
        for (let sequence = first; sequence < first + count; sequence++) {
          streams.send(job.stream, Buffer.from(format.text(0, sequence)));
          await delay(1000 / ratePerSecond, undefined, { signal });
        }
        const all = (first + count) * subscribers;
        const received = await audience.ask('received', all);
        if (received !== all) throw new Error(`${received} of ${all} deliveries came`);
      };
      await broadcast(0, warmUp);
      await audience.ask('startWindow');
      await broadcast(warmUp, broadcasts);
      const { user, system } = await audience.ask('endWindow');
      return (user + system) / (broadcasts * subscribers);
    });
  } finally {
    await shut(server, () => served.close());
  }
}

function serverOf(scheme: Scheme, directory: string): Server {
  if (scheme === 'ws') return createPlainServer();
  const [key, cert] = [join(directory, 'key.pem'), join(directory, 'cert.pem')];
  const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  execFileSync('openssl', [...request, '-subj', '/CN=localhost', '-keyout', key, '-out', cert], { stdio: 'pipe' });
  return createTlsServer({ key: readFileSync(key), cert: readFileSync(cert) });
}
