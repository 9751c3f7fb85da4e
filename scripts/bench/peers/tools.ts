import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { isExecutable, onPath } from '../../../src/targets/launch/programs.js';
import { fetchStats } from '../../../src/targets/launch/stats.js';
import { needsFolder } from '../../../src/targets/needs/need.js';
import { cpuSecondsOf, Program } from '../processes/program.js';
import { programReader } from '../readers/counting.js';
import { benchSource, type Reader } from '../readers/reader.js';
import type { Missing } from '../rounds.js';

const opensWithinMs = 120_000;
const quietWithinMs = 30_000;
const pollEveryMs = 500;
/** Below this share of a core, a tool has processed all arrived data. */
const quietCores = 0.05;
/** On a busy machine, a tool can be without a core for longer than the time between two readings. */
const quietLooks = 4;

/** Describes a load testing tool. It holds its subscribers until it is interrupted, and reports only then. */
interface Tool {
  name: string;
  command(url: string, clients: number, subscription: string, directory: string): readonly [string, ...string[]];
  env(url: string, clients: number, subscription: string): Record<string, string>;
  /** Reads its report. `messages` includes the confirmations of the subscriptions. */
  report(stdout: string): { messages?: number; p99Ms?: number | undefined };
}

function toolReader({ name, command, env, report }: Tool): Reader {
  return programReader({
    name,
    start({ target: { endpoints }, signal }, ...subscribers) {
      const [clients, subscription] = subscribers;
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
    report: async (program) => report((await program.stop()).stdout),
  });
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
const k6Report = z.object({ messages: z.number(), p99Ms: z.number().optional() });

/** Returns the path of k6 on PATH, or in the folder that the command below fills. */
export function k6Program(): string | Missing {
  const lack = `GOBIN=${join(folder, 'bin')} go install go.k6.io/k6@v${versions.k6}`;
  return found('k6', join(folder, 'bin/k6')) ?? { name: 'k6', lack };
}

/** Returns subscribers in k6. */
export function k6(): Reader | Missing {
  const program = k6Program();
  if (typeof program !== 'string') return program;
  return toolReader({
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
export function artillery(): Reader | Missing {
  const name = 'Artillery';
  const place = join(folder, 'artillery');
  const program = found('artillery', join(place, 'node_modules/artillery/bin/run'));
  if (program === undefined)
    return { name, lack: `npm install --prefix ${place} --ignore-scripts artillery@${versions.artillery}` };
  return toolReader({
    name,
    command: (url, clients, subscription, directory) => {
      const script = join(directory, 'artillery.json');
      const phases = [{ duration: Math.ceil(clients / arrivalsPerSecond), arrivalCount: clients }];
      const flow = [{ send: subscription }, { think: staySeconds }];
      writeFileSync(script, JSON.stringify({ config: { target: url, phases }, scenarios: [{ engine: 'ws', flow }] }));
      return [process.execPath, program, 'run', '--quiet', script];
    },
    env: () => ({ ARTILLERY_DISABLE_TELEMETRY: 'true' }),
    report: () => ({}),
  });
}

function found(name: string, installed: string): string | undefined {
  return onPath(name) ?? (isExecutable(installed) ? installed : undefined);
}
