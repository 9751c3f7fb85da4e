import { loadavg } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { packageFile } from '../../../src/units/package-files.js';
import type { BenchContext, Bound, Finding } from '../judge.js';
import { k6Program } from '../peers/tools.js';
import { collectedMemory, type Inspected } from '../processes/memory.js';
import { withBenchRunner, withDirectory } from '../processes/places.js';
import { cpuSecondsOf, Program, ringside } from '../processes/program.js';
import { benchSource, nativeLack, withFloor } from '../readers/reader.js';
import { costOf, inRounds, type Round, roundRatio, slopeOf } from '../rounds.js';

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
interface Side {
  name: string;
  with<T>(port: number, signal: AbortSignal, work: (of: Inspected) => Promise<T>): Promise<T>;
}

function programSide(
  name: string,
  command: (port: number) => readonly [string, ...string[]],
  env: (port: number) => Record<string, string> = () => ({}),
): Side {
  return {
    name,
    async with(port, signal, work) {
      const program = new Program(name, command(port), { signal, withinMs, env: env(port) });
      return work(program).finally(() => program.stop());
    },
  };
}

/** A bench-runner whose clients live by a flow. The driver is another process, which does not count. */
function flowSide(
  name: string,
  file: string,
  engine: 'native' | 'js',
  { path = '/', load = clients, isInspected = false } = {},
): Side {
  const inFolder = (signal: AbortSignal, port: number, work: (of: Inspected) => Promise<unknown>, results: string) =>
    withBenchRunner(
      signal,
      async ({ url, pid, inspector }) => {
        const flags = `--target-url ws://127.0.0.1:${port}${path} --engine ${engine} --shard ${url} --clients ${load}`;
        const more = `--arrivals ${load / 2}/s --duration ${longest} --results ${results} --local-address 127.0.0.1`;
        const words = ['run', 'flow', benchSource(`flows/${file}`), ...`${flags} ${more}`.split(' ')];
        const run = ringside(words, signal, withinMs);
        const early = run.ended.then(({ stderr }) => Promise.reject(new Error(`${name} ended early: ${stderr}`)));
        return Promise.race([work({ pid, inspector }), early]).finally(() => run.stop());
      },
      { flags: ['--allow-modules'], isInspected },
    );
  return {
    name,
    with: <T>(port: number, signal: AbortSignal, work: (of: Inspected) => Promise<T>) =>
      withDirectory((results) => inFolder(signal, port, work, results) as Promise<T>),
  };
}

/** Runs `work` when all clients of a side are there. `read` returns what their server counts. */
async function whileAllAreThere<T>(
  side: Side,
  all: number,
  signal: AbortSignal,
  work: (of: Inspected, read: () => Promise<Counts>) => Promise<T>,
): Promise<T> {
  const command = [process.execPath, packageFile('dist/scripts/bench/flows/rooms-server.js')] as const;
  const server = new Program('rooms-server', command, { signal, withinMs });
  const read = async (): Promise<Counts> => counts.parse(JSON.parse(await server.line('')));
  try {
    const port = Number(await server.line());
    return await side.with(port, signal, async (of) => {
      const endMs = performance.now() + opensWithinMs;
      for (let { open } = await read(); open < all; { open } = await read()) {
        if (performance.now() > endMs) throw new Error(`${open} of ${all} clients of ${side.name} came`);
        await delay(pollEveryMs, undefined, { signal });
      }
      await delay(settleMs, undefined, { signal });
      return work(of, read);
    });
  } finally {
    await server.stop();
  }
}

function costOfSide(side: Side, { signal, isQuick, say }: BenchContext, all: number, units: keyof Counts | 'all') {
  return whileAllAreThere(side, all, signal, async ({ pid }, read): Promise<Round> => {
    const [before, cpuSeconds, startMs] = [await read(), cpuSecondsOf(pid), performance.now()];
    await delay(isQuick ? 5000 : 10_000, undefined, { signal });
    const [after, cpuUs] = [await read(), (cpuSecondsOf(pid) - cpuSeconds) * 1e6];
    const of = (name: keyof Counts): number => after[name] - before[name];
    const perSecond = (of('received') * 1000) / (performance.now() - startMs);
    const found = { cpuUs, units: units === 'all' ? of('received') + of('sent') : of(units) };
    const share = perSecond / (all * sendsPerSecond);
    const load = `load average ${loadavg()[0]!.toFixed(1)}`;
    say(`  ${side.name}: ${(cpuUs / found.units).toFixed(2)} us, ${(share * 100).toFixed(0)} % of its sends, ${load}`);
    return share < leastOfRate ? { cpuUs: Number.NaN, units: 1 } : found;
  });
}

const [few, many] = [1000, 5000];

/** Measures the JavaScript memory of each further idle client of a flow, whose socket is open. */
export async function flowMemory(bounds: Record<'native' | 'js', Bound>, { signal }: BenchContext): Promise<Finding[]> {
  const lack = await nativeLack();
  const measured = async (engine: 'native' | 'js'): Promise<Finding> => {
    const bound = bounds[engine];
    if (engine === 'native' && lack !== undefined) return { bound, lack };
    const held = async (load: number) => {
      const side = flowSide(`idle, ${engine}`, 'idle.flow.ts', engine, { path: '/sink', load, isInspected: true });
      const { heapBytes } = await whileAllAreThere(side, load, signal, (of) => collectedMemory(of));
      return { units: load, value: heapBytes };
    };
    const value = slopeOf(await held(few), await held(many));
    return { bound, value, detail: `${many} clients beside ${few}` };
  };
  return [await measured('native'), await measured('js')];
}

/** Compares rounds of one run. A side that fell behind has no cost. */
function besideFinding(bound: Bound, ones: readonly Round[], others: readonly Round[]): Finding {
  const { value, comparable, of } = roundRatio(ones, others, (...both) => both.every(({ cpuUs }) => cpuUs > 0));
  return { bound, value, detail: `${comparable} of ${of} rounds` };
}

async function sidesInTurn(sides: readonly Side[], context: BenchContext, all: number, units: keyof Counts | 'all') {
  const of = Object.fromEntries(sides.map((side) => [side.name, side]));
  const rounds = await inRounds(Object.keys(of), context.isQuick ? 1 : 3, (name) =>
    costOfSide(of[name]!, context, all, units),
  );
  const row = ([name, found]: [string, Round[]]): Finding => ({
    ...{ what: `  ${name}`, measured: `${costOf(found).toFixed(2)} us` },
    detail: `rounds ${found.map(({ cpuUs, units: count }) => (cpuUs / count).toFixed(2)).join(', ')}`,
  });
  return { rounds: (name: string) => rounds[name] ?? [], rows: Object.entries(rounds).map(row) };
}

const [native, js, declared, ws] = ['class, native engine', 'class, JS engine', 'declared sends, native engine', 'ws'];

/** Measures the CPU per message of flows beside programs that live the same life in rooms of six. */
export async function flowCosts(
  bounds: Record<'nativeOfWs' | 'jsOfWs' | 'declaredOfWs' | 'nativeOfK6' | 'jsOfK6', Bound>,
  context: BenchContext,
): Promise<Finding[]> {
  const [lack, k6] = [await nativeLack(), k6Program()];
  const client = packageFile('dist/scripts/bench/flows/rooms-client.js');
  const url = (port: number): string => `ws://127.0.0.1:${port}`;
  const inNode = (port: number) => [process.execPath, client, url(port), String(clients)] as const;
  const sides: Side[] = [flowSide(js, 'class.flow.ts', 'js'), programSide(ws, inNode)];
  if (lack === undefined)
    sides.push(flowSide(native, 'class.flow.ts', 'native'), flowSide(declared, 'declared.flow.ts', 'native'));
  if (typeof k6 === 'string') {
    const command = [k6, 'run', '--quiet', '--no-usage-report', benchSource('flows/rooms-k6.js')] as const;
    const env = (port: number) => ({ URL: url(port), CLIENTS: String(clients) });
    sides.push(programSide('k6', () => command, env));
  }
  const { rounds, rows } = await sidesInTurn(sides, context, clients, 'all');
  const beside = (bound: Bound, one: string, other: string): Finding => {
    if (other === 'k6' && typeof k6 !== 'string') return { bound, lack: k6.lack };
    if (one !== js && lack !== undefined) return { bound, lack };
    return besideFinding(bound, rounds(one), rounds(other));
  };
  return [
    beside(bounds.nativeOfWs, native, ws),
    beside(bounds.jsOfWs, js, ws),
    beside(bounds.declaredOfWs, declared, ws),
    beside(bounds.nativeOfK6, native, 'k6'),
    beside(bounds.jsOfK6, js, 'k6'),
    ...rows,
  ];
}

/** Clients whose sends fill each slot of 1 ms. */
const senders = 2000;

/** Measures the CPU per declared send beside a program in C that only sends, both in slots of 1 ms. */
export function declaredSendCost({ ofFloor }: Record<'ofFloor', Bound>, context: BenchContext): Promise<Finding[]> {
  return withFloor(async (floor) => {
    const lack = (await nativeLack()) ?? (typeof floor === 'string' ? undefined : floor.lack);
    if (lack !== undefined || typeof floor !== 'string') return [{ bound: ofFloor, lack: String(lack) }];
    const bare = (port: number) =>
      [floor, port, senders, senders * sendsPerSecond].map(String) as [string, ...string[]];
    const sides = [
      flowSide(declared, 'declared.flow.ts', 'native', { path: '/sink', load: senders }),
      programSide('bare C', bare),
    ];
    const { rounds, rows } = await sidesInTurn(sides, context, senders, 'received');
    return [besideFinding(ofFloor, rounds(declared), rounds('bare C')), ...rows];
  }, 'flows/send-floor');
}
