import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { isExecutable, onPath } from '../../../src/targets/launch/programs.js';
import { fetchStats } from '../../../src/targets/launch/stats.js';
import { needsFolder } from '../../../src/targets/needs/need.js';
import { cpuSecondsOf, Program } from '../processes/program.js';
import type { Counts, ReadingProgram } from '../readers/counting.js';
import { benchSource } from '../readers/reader.js';
import type { Missing } from '../rounds.js';

const opensWithinMs = 120_000;
const quietWithinMs = 30_000;
const pollEveryMs = 500;
/** Below this share of a core, a tool has processed all arrived data. */
const quietCores = 0.05;
/** On a busy machine, a tool can be without a core for longer than the time between two readings. */
const quietLooks = 4;

/** Describes a load testing tool. It reports when it has ended: by an interrupt, or by itself. */
interface Tool {
  name: string;
  command(url: string, clients: number, subscription: string, directory: string): readonly [string, ...string[]];
  env(url: string, clients: number, subscription: string): Record<string, string>;
  endsBy?: 'itself';
  /** Reads its report. `messages` includes the confirmations of the subscriptions. */
  report(stdout: string, directory: string): Counts;
}

function toolProgram({ name, command, env, endsBy, report }: Tool): ReadingProgram {
  let place = '';
  return {
    name,
    start({ target: { endpoints }, signal }, ...subscribers) {
      const [clients, subscription, directory] = subscribers;
      place = directory;
      const given = env(endpoints.wsUrl, clients, subscription);
      return new Program(name, command(endpoints.wsUrl, ...subscribers), { signal, env: given, endsBy: 'SIGINT' });
    },
    async opened(program, { target: { endpoints }, signal }, clients) {
      const endMs = performance.now() + opensWithinMs;
      for (;;) {
        const { connections } = await fetchStats(endpoints.statsUrl ?? '', signal);
        if (connections === clients) break;
        if (performance.now() > endMs) throw new Error(`${connections} of ${clients} clients came (${program.pid})`);
        await delay(pollEveryMs, undefined, { signal });
      }
      await quiet(program, signal);
      return undefined;
    },
    async arrived(program, _messages, signal) {
      await quiet(program, signal);
      return {};
    },
    report: async (program) => report((await (endsBy ? program.ended : program.stop())).stdout, place),
  };
}

async function quiet(program: Program, signal: AbortSignal): Promise<void> {
  const endMs = performance.now() + quietWithinMs;
  let [before, looks] = [cpuSecondsOf(program.pid), 0];
  while (looks < quietLooks && performance.now() < endMs) {
    await delay(pollEveryMs, undefined, { signal });
    const now = cpuSecondsOf(program.pid);
    looks = (now - before) * 1000 < quietCores * pollEveryMs ? looks + 1 : 0;
    before = now;
  }
}

const versions = { k6: '1.8.1', artillery: '2.0.34' };
/** This folder is next to that of `ringside install`. The bench never installs anything itself. */
const folder = join(dirname(needsFolder()), 'peers');
const some = z.number().optional();
const k6Report = z.object({ messages: z.number(), p50Ms: some, p90Ms: some, p99Ms: some, maxMs: some });

/** Returns the path of k6 on PATH, or in the folder that the command below fills. */
export function k6Program(): string | Missing {
  const lack = `GOBIN=${join(folder, 'bin')} go install go.k6.io/k6@v${versions.k6}`;
  return found('k6', join(folder, 'bin/k6')) ?? { name: 'k6', lack };
}

/** Returns subscribers in k6. */
export function k6(): ReadingProgram | Missing {
  const program = k6Program();
  if (typeof program !== 'string') return program;
  return toolProgram({
    name: 'k6',
    command: () => [program, 'run', '--quiet', '--no-usage-report', benchSource('peers/k6-reader.js')],
    env: (url, clients, subscription) => ({ URL: url, CLIENTS: String(clients), SUBSCRIPTION: subscription }),
    report: (stdout) => k6Report.parse(JSON.parse(stdout)),
  });
}

/** Number of virtual users that Artillery starts in a second. */
const arrivalsPerSecond = 500;
/** Longer than any load. */
const staySeconds = 3600;

/** Returns Artillery from PATH, or from the folder that the command below fills. It reports no unasked messages. */
export function artillery(): ReadingProgram | Missing {
  return inArtillery({
    flow: () => [{ think: staySeconds }],
    report: () => ({}),
  });
}

/** The first client leaves after this long, so all have to come and to hear everything before. */
const listensSeconds = (clients: number, loadSeconds: number): number =>
  Math.ceil(loadSeconds + 10 + (3 * clients) / arrivalsPerSecond);
const artilleryReport = z.object({
  aggregate: z.object({
    counters: z.object({ broadcasts: z.number(), 'vusers.created': z.number() }),
    summaries: z.object({ latency: z.object({ p50: z.number(), p90: z.number(), max: z.number() }) }),
  }),
});

/** Returns Artillery with a function of a user, which counts and times. It stays for a load of so many seconds. */
export function listeningArtillery(loadSeconds: number): ReadingProgram | Missing {
  return inArtillery({
    processor: benchSource('peers/artillery-listen.cjs'),
    flow: (clients) => [{ function: 'listen' }, { think: listensSeconds(clients, loadSeconds) }],
    endsBy: 'itself',
    report: (_stdout, directory) => {
      const text = readFileSync(join(directory, 'report.json'), 'utf8');
      const { counters, summaries } = artilleryReport.parse(JSON.parse(text)).aggregate;
      const { p50, p90, max } = summaries.latency;
      const messages = counters.broadcasts + counters['vusers.created'];
      return { messages, p50Ms: p50, p90Ms: p90, maxMs: max };
    },
  });
}

function inArtillery({
  processor,
  flow: then,
  ...rest
}: Pick<Tool, 'report' | 'endsBy'> & { processor?: string; flow(clients: number): object[] }):
  | ReadingProgram
  | Missing {
  const name = 'Artillery';
  const place = join(folder, 'artillery');
  const program = found('artillery', join(place, 'node_modules/artillery/bin/run'));
  if (program === undefined)
    return { name, lack: `npm install --prefix ${place} --ignore-scripts artillery@${versions.artillery}` };
  return toolProgram({
    name,
    command: (target, clients, subscription, directory) => {
      const script = join(directory, 'artillery.json');
      const phases = [{ duration: Math.ceil(clients / arrivalsPerSecond), arrivalCount: clients }];
      const flow = [{ send: subscription }, ...then(clients)];
      const config = { target, phases, ...(processor && { processor }) };
      writeFileSync(script, JSON.stringify({ config, scenarios: [{ engine: 'ws', flow }] }));
      return [process.execPath, program, 'run', '--quiet', '--output', join(directory, 'report.json'), script];
    },
    env: () => ({ ARTILLERY_DISABLE_TELEMETRY: 'true' }),
    ...rest,
  });
}

function found(name: string, installed: string): string | undefined {
  return onPath(name) ?? (isExecutable(installed) ? installed : undefined);
}
