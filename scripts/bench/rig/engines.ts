import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer as createPlainServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createServer as createTlsServer } from 'node:tls';
import { execa } from 'execa';
import { packageFile } from '../../../src/units/package-files.js';
import { countText } from '../../../src/units/text.js';
import type { BenchContext, Bound, Finding } from '../judge.js';
import { Program, withDirectory, withTarget } from '../processes/program.js';
import { askCounts, connectsPerSecond, countingReader, floorArguments } from '../readers/counting.js';
import { deliverySide, type Load, nativeLack, type Place, withFloor } from '../readers/reader.js';
import { audienceJob, clientSides, shardReader } from '../readers/shard.js';
import { isHere, measureSides } from '../rounds.js';

const warmUpSeconds = 3;

/** Returns a load of so many seconds behind its warm-up. */
export function loadFor(subscribers: number, ratePerSecond: number, seconds: number): Load {
  return { subscribers, ratePerSecond, warmUp: warmUpSeconds * ratePerSecond, broadcasts: seconds * ratePerSecond };
}

/** Compares the CPU per delivery, from socket to ledger, of wire clients and the real library. */
export function clientDelivery(
  { cpu }: Record<'cpu', Bound>,
  { isQuick, signal, say }: BenchContext,
): Promise<Finding[]> {
  const load = loadFor(1000, 20, isQuick ? 6 : 15);
  return withTarget(async (target) => {
    const side = async (of: 'wire' | 'library') => deliverySide(await shardReader(of), { target, signal }, load);
    const sides = { wire: await side('wire'), library: await side('library') };
    const { beside, rows } = await measureSides(sides, isQuick ? 1 : 4, say);
    // Library clients count no reads.
    return [beside(cpu, 'wire', 'library', () => true), ...rows];
  });
}

/** Sets 20,000 deliveries a second. That is a small part of one core, so that one read seldom returns several. */
const engineLoads = [
  { subscribers: 1000, ratePerSecond: 20, bounds: ['fewOfJs', 'fewOfFloor'] },
  { subscribers: 10_000, ratePerSecond: 2, bounds: ['manyOfJs', 'manyOfFloor'] },
] as const;

/** Compares the CPU per delivery of both engines, each in a whole bench-runner, and of a bare reader. */
export function engineDelivery(
  bounds: Record<'fewOfJs' | 'fewOfFloor' | 'manyOfJs' | 'manyOfFloor' | 'unstamped', Bound>,
  { isQuick, signal, say }: BenchContext,
): Promise<Finding[]> {
  return withFloor(async (floor) => {
    const readers = {
      js: await shardReader('js'),
      native: await shardReader('native'),
      floor: typeof floor === 'string' ? countingReader('bare epoll floor', [floor]) : floor,
    };
    const findings: Finding[] = [];
    const stamps = { all: 0, unstamped: 0 };
    for (const {
      subscribers,
      ratePerSecond,
      bounds: [ofJs, ofFloor],
    } of engineLoads) {
      say(`  ${countText(subscribers)} subscribers`);
      const load = loadFor(subscribers, ratePerSecond, isQuick ? 6 : 15);
      const { beside, rows, rounds } = await withTarget((target) => {
        const side = (of: keyof typeof readers) => deliverySide(readers[of], { target, signal }, load);
        const sides = { js: side('js'), native: side('native'), floor: side('floor') };
        return measureSides(sides, isQuick ? 1 : 6, say);
      });
      for (const { stamps: { exact = 0, bracketed = 0, unstamped = 0 } = {} } of rounds.native ?? []) {
        stamps.all += exact + bracketed + unstamped;
        stamps.unstamped += unstamped;
      }
      findings.push(beside(bounds[ofJs], 'native', 'js'), beside(bounds[ofFloor], 'native', 'floor'), ...rows);
    }
    const { native } = readers;
    const found = { value: stamps.unstamped / stamps.all, detail: `of ${countText(stamps.all)}` };
    return [...findings, { bound: bounds.unstamped, ...(isHere(native) ? found : { lack: native.lack }) }];
  });
}

/** Compares the CPU per delivery of both engines with and without TLS, behind a proxy in this process. */
export function tls(
  { ofJs, ofPlain }: Record<'ofJs' | 'ofPlain', Bound>,
  { isQuick, signal, say }: BenchContext,
): Promise<Finding[]> {
  // The proxy is one process, and must not fall behind.
  const load = loadFor(1000, 10, isQuick ? 5 : 15);
  return withTarget(async ({ target, endpoints }) => {
    const { port: to, pathname } = new URL(endpoints.wsUrl);
    const side = async (scheme: 'ws' | 'wss', engine: 'js' | 'native') => {
      const name = `${scheme} ${engine}`;
      // TLS handshakes use most of a core, and are not measured.
      const reader = await shardReader(engine, {
        name,
        load: { isInsecure: true },
        options: { rampRatePerSecond: 100 },
      });
      if (!isHere(reader)) return reader;
      const round = () =>
        withProxy(scheme, Number(to), (port) => {
          const wsUrl = `${scheme}://127.0.0.1:${port}${pathname}`;
          const place = { target: { target, endpoints: { ...endpoints, wsUrl, wsUrls: [wsUrl] } }, signal };
          return reader.with(place, load, (held) => held.deliver());
        });
      return { name, round };
    };
    const sides = {
      js: await side('ws', 'js'),
      tlsJs: await side('wss', 'js'),
      native: await side('ws', 'native'),
      tlsNative: await side('wss', 'native'),
    };
    const { beside, rows } = await measureSides(sides, isQuick ? 1 : 4, say);
    return [beside(ofJs, 'tlsNative', 'tlsJs'), beside(ofPlain, 'tlsNative', 'native'), ...rows];
  });
}

function withProxy<T>(scheme: 'ws' | 'wss', to: number, work: (port: number) => Promise<T>): Promise<T> {
  return withDirectory(async (directory) => {
    const [key, cert] = [join(directory, 'key.pem'), join(directory, 'cert.pem')];
    const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
    await execa('openssl', [...request, '-subj', '/CN=localhost', '-keyout', key, '-out', cert]);
    const carry = (socket: NodeJS.ReadWriteStream): void => {
      const onward = connect(to, '127.0.0.1');
      onward.on('error', () => undefined).pipe(socket.on('error', () => onward.destroy()));
      socket.pipe(onward);
    };
    const server =
      scheme === 'ws'
        ? createPlainServer(carry)
        : createTlsServer({ key: readFileSync(key), cert: readFileSync(cert) }, carry);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    try {
      return await work((server.address() as AddressInfo).port);
    } finally {
      server.close();
    }
  });
}

const clients = 10_000;
const pollEveryMs = 50;
const sourcesPerTurn = 8;

/** Compares the CPU per WebSocket, from the start of TCP to the answered upgrade, of both engines and a bare opener. */
export function engineOpening(
  { ofJs }: Record<'ofJs', Bound>,
  { isQuick, signal, say }: BenchContext,
): Promise<Finding[]> {
  return withFloor((floor) =>
    withTarget(async (target) => {
      const side = (name: string, open: (place: Place, sources: readonly string[]) => Promise<number>) => ({
        name,
        async round(turn: number) {
          // Ports in TIME_WAIT would slow the search for a free one, so each turn has its own addresses.
          const sources = Array.from({ length: sourcesPerTurn }, (_, index) => `127.0.${turn + 1}.${index + 2}`);
          const cpuUs = await open({ target, signal }, sources);
          // The answer to an upgrade arrives in one read.
          return { cpuUs, units: clients, readsPerUnit: 1 };
        },
      });
      const engine = (of: 'js' | 'native') =>
        side(clientSides[of].name, (place, sources) => openClients(of, place, sources));
      const lack = await nativeLack();
      const sides = {
        js: engine('js'),
        native: lack === undefined ? engine('native') : { name: clientSides.native.name, lack },
        floor:
          typeof floor === 'string'
            ? side('bare epoll floor', (place, sources) => openBare(floor, place, sources))
            : floor,
      };
      const { beside, rows } = await measureSides(sides, isQuick ? 1 : 6, say);
      const each = { what: '  each round', measured: countText(clients), detail: '' };
      return [beside(ofJs, 'native', 'js'), ...rows, each];
    }),
  );
}

async function openClients(
  engine: 'js' | 'native',
  { target, signal }: Place,
  localAddresses: readonly string[],
): Promise<number> {
  const load = { ...clientSides[engine].load, localAddresses: [...localAddresses] };
  const job = JSON.stringify(audienceJob(target, clients, load));
  const main = packageFile('dist/scripts/bench/processes/opening-clients.js');
  const program = new Program(engine, [process.execPath, main, job, String(connectsPerSecond)], { signal });
  try {
    return Number(await program.line());
  } finally {
    await program.stop();
  }
}

async function openBare(floor: string, { target, signal }: Place, sources: readonly string[]): Promise<number> {
  const program = new Program('floor', [floor, ...floorArguments({ target }, clients, { sources })], { signal });
  try {
    for (;;) {
      const { opened, userUs = 0, systemUs = 0 } = await askCounts(program);
      if (opened === clients) return userUs + systemUs;
      await delay(pollEveryMs, undefined, { signal });
    }
  } finally {
    await program.stop();
  }
}
