import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer as createPlainServer } from 'node:net';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { execa } from 'execa';
import { countText } from '../../../src/units/text.js';
import type { BenchContext, Bound, Finding } from '../judge.js';
import { withDirectory, withTarget } from '../processes/places.js';
import type { Delivered, Load, Place } from '../readers/reader.js';
import { shardReader } from '../readers/shard.js';
import {
  clientSides,
  costBeside,
  costRows,
  engineSides,
  loadOfSide,
  type Side,
  type Sides,
  sideNames,
  withSides,
} from '../readers/sides.js';
import { costOf, inRounds } from '../rounds.js';

const warmUpSeconds = 3;

/** Returns a load of so many seconds behind its warm-up. */
export function loadFor(subscribers: number, ratePerSecond: number, seconds: number): Load {
  return { subscribers, ratePerSecond, warmUp: warmUpSeconds * ratePerSecond, broadcasts: seconds * ratePerSecond };
}

async function measured<S extends Side>(
  names: readonly S[],
  rounds: number,
  { readers }: Pick<Sides, 'readers'>,
  place: Place,
  load: Load,
  say: BenchContext['say'],
): Promise<Partial<Record<S, Delivered[]>>> {
  const here = names.filter((side) => readers[side] !== undefined);
  return inRounds(here, rounds, async (side) => {
    const delivered = await readers[side]!.with(place, load, (held) => held.deliver());
    const each = (delivered.cpuUs / delivered.units).toFixed(2);
    const reads = delivered.readsPerUnit?.toFixed(2) ?? 'unknown';
    say(`  ${countText(load.subscribers)} subscribers, ${sideNames[side]}: ${each} us, reads per delivery ${reads}`);
    return delivered;
  });
}

/** Compares the CPU per delivery, from socket to ledger, of wire clients and the real library. */
export function clientDelivery({ cpu }: Record<'cpu', Bound>, context: BenchContext): Promise<Finding[]> {
  const load = loadFor(1000, 20, context.isQuick ? 6 : 15);
  return withSides(clientSides, (sides) =>
    withTarget(async (target) => {
      const place = { target, signal: context.signal };
      const { wire = [], library = [] } = await measured(
        clientSides,
        context.isQuick ? 1 : 4,
        sides,
        place,
        load,
        context.say,
      );
      return [costBeside(cpu, undefined, wire, library, () => true), ...costRows({ wire, library })];
    }),
  );
}

/** Sets 20,000 deliveries a second. That is a small part of one core, so that one read seldom returns several. */
const engineLoads = [
  { subscribers: 1000, ratePerSecond: 20 },
  { subscribers: 10_000, ratePerSecond: 2 },
] as const;

/** Compares the CPU per delivery of both engines, each in a whole bench-runner, and of a bare reader. */
export function engineDelivery(
  bounds: Record<'fewOfJs' | 'fewOfFloor' | 'manyOfJs' | 'manyOfFloor' | 'unstamped', Bound>,
  { isQuick, signal, say }: BenchContext,
): Promise<Finding[]> {
  return withSides(engineSides, async (sides) => {
    const { fewOfJs, fewOfFloor, manyOfJs, manyOfFloor, unstamped } = bounds;
    const findings: Finding[] = [];
    const stamps = { all: 0, unstamped: 0 };
    for (const [index, { subscribers, ratePerSecond }] of engineLoads.entries()) {
      const [ofJs, ofFloor] = index === 0 ? [fewOfJs, fewOfFloor] : [manyOfJs, manyOfFloor];
      const load = loadFor(subscribers, ratePerSecond, isQuick ? 6 : 15);
      const found = await withTarget((target) =>
        measured(engineSides, isQuick ? 1 : 6, sides, { target, signal }, load, say),
      );
      const { js = [], native = [], floor = [] } = found;
      for (const { stamps: { exact = 0, bracketed = 0, unstamped: without = 0 } = {} } of native) {
        stamps.all += exact + bracketed + without;
        stamps.unstamped += without;
      }
      findings.push(
        costBeside(ofJs, sides.lackOf('native'), native, js),
        costBeside(ofFloor, sides.lackOf('native', 'floor'), native, floor),
        ...costRows(found),
      );
    }
    const lack = sides.lackOf('native');
    const value = stamps.unstamped / stamps.all;
    const ofStamps = { bound: unstamped, value, detail: `of ${countText(stamps.all)}` };
    return [...findings, lack === undefined ? ofStamps : { bound: unstamped, lack }];
  });
}

/** TLS handshakes use most of a core, and are not measured. */
const slowRamp = { rampRatePerSecond: 100 };

/** Measures the CPU per delivery of the JavaScript engine with and without TLS, behind a proxy in this process. */
export function tls(_bounds: object, { isQuick, signal, say }: BenchContext): Promise<Finding[]> {
  const load = loadFor(1000, 20, isQuick ? 5 : 15);
  const reader = shardReader(sideNames.js, { ...loadOfSide.js, isInsecure: true }, { options: slowRamp });
  return withTarget(async (target) => {
    const { ws, wss } = await inRounds(['ws', 'wss'], isQuick ? 1 : 4, (scheme) =>
      withProxy(scheme, Number(new URL(target.endpoints.wsUrl).port), async (port) => {
        const wsUrls = [`${scheme}://127.0.0.1:${port}${new URL(target.endpoints.wsUrl).pathname}`];
        const endpoints = { ...target.endpoints, wsUrl: wsUrls[0]!, wsUrls };
        const place = { target: { target: target.target, endpoints }, signal };
        const delivered = await reader.with(place, load, (held) => held.deliver());
        say(`  ${scheme}: ${(delivered.cpuUs / delivered.units).toFixed(2)} us`);
        return delivered;
      }),
    );
    const [plain, secure] = [costOf(ws), costOf(wss)];
    const rounds = `median of ${ws.length} rounds`;
    return [
      { what: 'CPU per delivery over TLS, JavaScript engine', measured: `${secure.toFixed(2)} us`, detail: rounds },
      { what: '  without TLS', measured: `${plain.toFixed(2)} us`, detail: `ratio ${(secure / plain).toFixed(2)}` },
    ];
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
