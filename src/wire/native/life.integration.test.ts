import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { compiled } from '../../../test/compiled.js';
import { makeNative } from '../../../test/doubles/engines.js';
import { Certificates, canCertify } from '../../../test/https-front.js';
import { packageFile } from '../../units/package-files.js';

const clients = 211;
const engineModule = await compiled('src/wire/native/native-engine.ts');
const loaderModule = pathToFileURL(packageFile('native/index.mjs')).href;

const folder = mkdtempSync(join(tmpdir(), 'wire-life-'));
const certificates = canCertify ? new Certificates(folder) : undefined;
afterAll(() => rmSync(folder, { recursive: true }));

type Scheme = 'ws' | 'wss';

/** Opens clients on a thread or in a process of its own, says so, and does `then` when it is told to. */
function code(scheme: Scheme, port: number, ready: string, then: string): string {
  return `(async () => {
    const { parentPort } = require('node:worker_threads');
    const { NativeEngine } = await import(${JSON.stringify(engineModule)});
    const { loadAddon } = await import(${JSON.stringify(loaderModule)});
    let opened = 0;
    const sink = { opened() { if (++opened === ${clients}) { ${ready} } }, message() {}, deliveries() {}, closed() {} };
    const engine = new NativeEngine(loadAddon().addon, {
      url: '${scheme}://127.0.0.1:${port}/', subprotocols: [], headers: {}, localAddresses: [], isInsecure: true,
      numberOf: (client) => client, connectTimeoutMs: 60000, capacity: ${clients},
      scan: { marker: '#n', sequenceOffset: 2, sequenceDigits: 3 },
    }, sink);
    for (let client = 0; client < ${clients}; client++) engine.open(client);
    parentPort?.on('message', () => { ${then} });
  })()`;
}

describe.skipIf(makeNative === undefined).each<Scheme>(['ws', ...(canCertify ? (['wss'] as const) : [])])(
  'an engine under traffic over %s leaves nothing behind',
  (scheme) => {
    let carrier: Server;
    let server: WebSocketServer;
    let port: number;
    let traffic: NodeJS.Timeout;

    beforeEach(async () => {
      carrier = scheme === 'ws' ? createServer() : createSecureServer(certificates!.of('server'));
      server = new WebSocketServer({ server: carrier });
      await once(carrier.listen(0, '127.0.0.1'), 'listening');
      port = (carrier.address() as AddressInfo).port;
      traffic = setInterval(() => {
        for (const client of server.clients) client.send('#n007');
      }, 2);
    });

    afterEach(async () => {
      clearInterval(traffic);
      for (const client of server.clients) client.terminate();
      server.close();
      await once(carrier.close(), 'close');
    });

    const isEmpty = () => expect.poll(() => server.clients.size, { timeout: 60_000 }).toBe(0);
    const counted = (what: 'task' | 'fd') => () => readdirSync(`/proc/self/${what}`).length;

    it.each([
      ['terminate', ''],
      ['dispose', 'engine.dispose(); parentPort.close()'],
      ['exit', 'process.exit(0)'],
    ])('if its worker ends by %s', async (how, then) => {
      const [threads, descriptors] = [counted('task'), counted('fd')].map((count) => [count, count()] as const);
      const worker = new Worker(code(scheme, port, "parentPort.postMessage('open')", then), { eval: true });
      await once(worker, 'message');
      expect(server.clients.size).toBe(clients);
      const ended = once(worker, 'exit');
      if (how === 'terminate') void worker.terminate();
      else worker.postMessage('end');
      expect((await ended)[0]).toBe(how === 'terminate' ? 1 : 0);
      await isEmpty();
      for (const each of [threads, descriptors]) {
        const [count, before] = each as readonly [() => number, number];
        await expect.poll(count, { timeout: 60_000 }).toBeLessThanOrEqual(before);
      }
    });

    it.each([
      ['its process ends', 'process.exit(7)', 7],
      ['its process dies', "process.kill(process.pid, 'SIGKILL')", undefined],
      ['it is disposed of, and the process ends by itself', 'engine.dispose()', 0],
    ])('if %s', async (_name, ready, status) => {
      const run = promisify(execFile)(process.execPath, ['-e', code(scheme, port, ready, '')]);
      const failed = await run.then(
        () => ({ code: 0, stderr: '' }),
        (error: { code?: number; stderr: string }) => error,
      );
      expect([failed.code ?? undefined, failed.stderr]).toEqual([status, '']);
      await isEmpty();
    });
  },
);
