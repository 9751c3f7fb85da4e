import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { compiled } from '../../../test/compiled.js';
import { makeNative } from '../../../test/doubles/engines.js';
import { Certificates, canCertify } from '../../../test/https-front.js';
import { packageFile } from '../../units/package-files.js';

const times = 50;
const together = 5;
/** Other versions of Node: TEST_NODES holds their paths, apart by a colon. */
const nodes = [process.execPath, ...(process.env.TEST_NODES ?? '').split(':').filter((path) => path !== '')];
const engineModule = await compiled('src/wire/native/native-engine.ts');
const loaderModule = pathToFileURL(packageFile('native/index.mjs')).href;

/** Opens clients again and again, so that some always shake hands, and ends as it is told after some time. */
function code(port: number, ends: string, afterMs: number): string {
  return `(async () => {
    const { NativeEngine } = await import(${JSON.stringify(engineModule)});
    const { loadAddon } = await import(${JSON.stringify(loaderModule)});
    const clients = 60;
    const engines = [0, 1].map(() => {
      const again = (client) => setImmediate(() => { if (!engine.isDisposed) engine.open(client); });
      const sink = {
        opened(client) { if (client % 2) engine.drop(client, 'close'); }, message() {}, deliveries() {}, closed: again,
      };
      const engine = new NativeEngine(loadAddon().addon, {
        url: 'wss://127.0.0.1:${port}/', subprotocols: [], headers: {}, localAddresses: [], isInsecure: true,
        numberOf: (client) => client, connectTimeoutMs: 60000, capacity: clients,
        scan: { marker: '#n', sequenceOffset: 2, sequenceDigits: 3 },
      }, sink);
      for (let client = 0; client < clients; client++) again(client);
      return engine;
    });
    setTimeout(() => { ${ends} }, ${afterMs});
  })()`;
}

describe.skipIf(makeNative === undefined || !canCertify)('a process under TLS traffic', () => {
  const folder = mkdtempSync(join(tmpdir(), 'wire-exits-'));
  const server = createServer(new Certificates(folder).of('server'));
  const webSockets = new WebSocketServer({ server });
  let traffic: NodeJS.Timeout;

  beforeAll(async () => {
    server.on('tlsClientError', () => undefined);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    traffic = setInterval(() => {
      for (const client of webSockets.clients) client.send('#n007');
    }, 1);
  });

  afterAll(async () => {
    clearInterval(traffic);
    for (const client of webSockets.clients) client.terminate();
    webSockets.close();
    await once(server.close(), 'close');
    rmSync(folder, { recursive: true });
  });

  const ways: [string, string, number][] = [
    ['process.exit', 'process.exit(7)', 7],
    ['an error that nobody catches', "throw new Error('as it should')", 1],
    ['dispose, and an exit right after', 'for (const each of engines) each.dispose(); process.exit(7)', 7],
    ['dispose', 'for (const each of engines) each.dispose()', 0],
  ];

  it.each(nodes.flatMap((node) => ways.map((way) => [node, ...way] as const)))(
    '%s ends by %s, and by no signal',
    async (node, _way, ends, status) => {
      const { port } = server.address() as AddressInfo;
      const results: unknown[] = [];
      for (let time = 0; time < times; time += together) {
        const children = Array.from({ length: together }, (_, index) =>
          spawn(node, ['-e', code(port, ends, 40 + 7 * ((time + index) % 13))], { stdio: 'ignore' }),
        );
        results.push(...(await Promise.all(children.map((child) => once(child, 'exit')))));
      }
      expect(results).toEqual(new Array(times).fill([status, null]));
    },
  );
});
