import { loadavg } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { packageFile } from '../../../src/units/package-files.js';
import type { BenchContext, Bound, Finding } from '../judge.js';
import { k6Program } from '../peers/tools.js';
import { collectedMemory, type Inspected } from '../processes/memory.js';
import { cpuSecondsOf, Program, ringside, withBenchRunner, withDirectory } from '../processes/program.js';
import { benchSource, nativeLack, withFloor } from '../readers/reader.js';
import { measureSides, type Round, type Side, slopeOf } from '../rounds.js';

/** Rooms of six. */
const clients = 504;
const sendsPerSecond = 5;
const opensWithinMs = 30_000;
const pollEveryMs = 200;
/** Lets the compiler finish. */
const settleMs = 5000;
/** A side that falls further behind did less than the others, so its cost says nothing. */
const leastOfRate = 0.9;
const longest = '10m';
const withinMs = 600_000;

const counts = z.object({ open: z.number(), received: z.number(), sent: z.number() });
type Counts = z.output<typeof counts>;

/** Clients of a server. `work` gets the process that has them. */
interface Clients {
  name: string;
  with<T>(port: number, signal: AbortSignal, work: (of: Inspected) => Promise<T>): Promise<T>;
}

function programClients(
  name: string,
  command: (port: number) => readonly [string, ...string[]],
  env: (port: number) => Record<string, string> = () => ({}),
): Clients {
  return {
    name,
    async with(port, signal, work) {
      const program = new Program(name, command(port), { signal, withinMs, env: env(port) });
      return work(program).finally(() => program.stop());
    },
  };
}

/** A bench-runner whose clients live by a flow. The driver is another process, which does not count. */
function flowClients(
  name: string,
  file: string,
  engine: 'native' | 'js',
  { path = '/', load = clients, isInspected = false } = {},
): Clients {
  const flags = `--engine ${engine} --clients ${load} --arrivals ${load / 2}/s --duration ${longest}`.split(' ');
  return {
    name,
    with: (port, signal, work) =>
      withDirectory((results) =>
        withBenchRunner(
          signal,
          async ({ url, pid, inspector }) => {
            const places = ['--target-url', `ws://127.0.0.1:${port}${path}`, '--shard', url, '--results', results];
            const words = ['run', 'flow', benchSource(`flows/${file}`), ...flags, ...places];
            const run = ringside([...words, '--local-address', '127.0.0.1'], signal, withinMs);
            const early = run.ended.then(({ stderr }) => Promise.reject(new Error(`${name} ended early: ${stderr}`)));
            return Promise.race([work({ pid, inspector }), early]).finally(() => run.stop());
          },
          { flags: ['--allow-modules'], isInspected },
        ),
      ),
  };
}

/** Runs `work` when all clients are there. `read` returns what their server counts. */
async function whileAllAreThere<T>(
  { name, with: withClients }: Clients,
  all: number,
  signal: AbortSignal,
  work: (of: Inspected, read: () => Promise<Counts>) => Promise<T>,
): Promise<T> {
  const command = [process.execPath, packageFile('dist/scripts/bench/flows/rooms-server.js')] as const;
  const server = new Program('rooms-server', command, { signal, withinMs });
  const read = async (): Promise<Counts> => counts.parse(JSON.parse(await server.line('')));
  try {
    const port = Number(await server.line());
    return await withClients(port, signal, async (of) => {
      const endMs = performance.now() + opensWithinMs;
      for (let { open } = await read(); open < all; { open } = await read()) {
        if (performance.now() > endMs) throw new Error(`${open} of ${all} clients of ${name} came`);
        await delay(pollEveryMs, undefined, { signal });
      }
      await delay(settleMs, undefined, { signal });
      return work(of, read);
    });
  } finally {
    await server.stop();
  }
}

/** Returns the clients as a side of a comparison: their cost for what their server counts as `units`. */
function messageSide(
  clients: Clients,
  { signal, isQuick, say }: BenchContext,
  all: number,
  unitsIn: (counted: Counts) => number,
): Side {
  const cost = async ({ pid }: Inspected, read: () => Promise<Counts>): Promise<Round> => {
    const [before, cpuSeconds, startMs] = [await read(), cpuSecondsOf(pid), performance.now()];
    await delay(isQuick ? 5000 : 10_000, undefined, { signal });
    const [after, cpuUs] = [await read(), (cpuSecondsOf(pid) - cpuSeconds) * 1e6];
    const seconds = (performance.now() - startMs) / 1000;
    const share = (after.received - before.received) / seconds / (all * sendsPerSecond);
    say(`  ${(share * 100).toFixed(0)} % of its sends, load average ${loadavg()[0]!.toFixed(1)}`);
    if (share < leastOfRate) return { cpuUs: Number.NaN, units: 1 };
    return { cpuUs, units: unitsIn(after) - unitsIn(before) };
  };
  return { name: clients.name, round: () => whileAllAreThere(clients, all, signal, cost) };
}

/** A side that fell behind has no cost. */
function haveCosts(...both: readonly Round[]): boolean {
  return both.every(({ cpuUs }) => cpuUs > 0);
}

const [few, many] = [1000, 5000];

/** Measures the JavaScript memory of each further idle client of a flow, whose socket is open. */
export async function flowMemory(bounds: Record<'native' | 'js', Bound>, { signal }: BenchContext): Promise<Finding[]> {
  const lack = await nativeLack();
  const measured = async (engine: 'native' | 'js'): Promise<Finding> => {
    const bound = bounds[engine];
    if (engine === 'native' && lack !== undefined) return { bound, lack };
    const held = async (load: number) => {
      const idle = flowClients(`idle, ${engine}`, 'idle.flow.ts', engine, { path: '/sink', load, isInspected: true });
      const { heapBytes } = await whileAllAreThere(idle, load, signal, (of) => collectedMemory(of));
      return { units: load, value: heapBytes };
    };
    const value = slopeOf(await held(few), await held(many));
    return { bound, value, detail: `${many} clients beside ${few}` };
  };
  return [await measured('native'), await measured('js')];
}

/** Measures the CPU per message of flows beside programs that live the same life in rooms of six. */
export async function flowCosts(
  bounds: Record<'nativeOfWs' | 'jsOfWs' | 'declaredOfWs' | 'nativeOfK6' | 'jsOfK6', Bound>,
  context: BenchContext,
): Promise<Finding[]> {
  const [lack, k6] = [await nativeLack(), k6Program()];
  const client = packageFile('dist/scripts/bench/flows/rooms-client.js');
  const url = (port: number): string => `ws://127.0.0.1:${port}`;
  const side = (of: Clients) => messageSide(of, context, clients, ({ received, sent }) => received + sent);
  const ofFlow = (name: string, file: string, engine: 'native' | 'js') =>
    engine === 'native' && lack !== undefined ? { name, lack } : side(flowClients(name, file, engine));
  const inK6 = (program: string) => {
    const command = [program, 'run', '--quiet', '--no-usage-report', benchSource('flows/rooms-k6.js')] as const;
    return programClients(
      'k6',
      () => command,
      (port) => ({ URL: url(port), CLIENTS: String(clients) }),
    );
  };
  const sides = {
    js: ofFlow('class, JS engine', 'class.flow.ts', 'js'),
    ws: side(programClients('ws', (port) => [process.execPath, client, url(port), String(clients)])),
    native: ofFlow('class, native engine', 'class.flow.ts', 'native'),
    declared: ofFlow('declared sends, native engine', 'declared.flow.ts', 'native'),
    k6: typeof k6 === 'string' ? side(inK6(k6)) : k6,
  };
  const { beside, rows } = await measureSides(sides, context.isQuick ? 1 : 3, context.say);
  return [
    beside(bounds.nativeOfWs, 'native', 'ws', haveCosts),
    beside(bounds.jsOfWs, 'js', 'ws', haveCosts),
    beside(bounds.declaredOfWs, 'declared', 'ws', haveCosts),
    beside(bounds.nativeOfK6, 'native', 'k6', haveCosts),
    beside(bounds.jsOfK6, 'js', 'k6', haveCosts),
    ...rows,
  ];
}

/** Clients whose sends fill each slot of 1 ms. */
const senders = 2000;

/** Measures the CPU per declared send beside a program in C that only sends, both in slots of 1 ms. */
export function declaredSendCost({ ofFloor }: Record<'ofFloor', Bound>, context: BenchContext): Promise<Finding[]> {
  return withFloor(async (floor) => {
    const [lack, name] = [await nativeLack(), 'declared sends, native engine'];
    const side = (of: Clients) => messageSide(of, context, senders, ({ received }) => received);
    const load = { path: '/sink', load: senders };
    const inC = (program: string) =>
      programClients('bare C', (port) => [program, `${port}`, `${senders}`, `${senders * sendsPerSecond}`]);
    const sides = {
      declared: lack === undefined ? side(flowClients(name, 'declared.flow.ts', 'native', load)) : { name, lack },
      floor: typeof floor === 'string' ? side(inC(floor)) : floor,
    };
    const { beside, rows } = await measureSides(sides, context.isQuick ? 1 : 3, context.say);
    return [beside(ofFloor, 'declared', 'floor', haveCosts), ...rows];
  }, 'flows/send-floor');
}
