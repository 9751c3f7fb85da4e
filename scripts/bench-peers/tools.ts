import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { isExecutable, onPath } from '../../src/targets/launch/on-path.js';
import { needsFolder } from '../../src/targets/needs/place.js';
import { sourcesOf } from '../bench-rig/readers/floor.js';
import type { Missing, Reader } from '../bench-rig/readers/reader.js';
import { type Tool, toolReader } from './tool.js';

const versions = { k6: '1.8.1', artillery: '2.0.34' };

/** Beside what `ringside install` brings: the bench never installs anything itself. */
const folder = join(dirname(needsFolder()), 'peers');

/** k6, if it is on PATH or where the command below puts it. */
export function k6(): Reader | Missing {
  const name = 'k6';
  const program = found(name, join(folder, 'bin/k6'));
  if (program === undefined)
    return { name, lack: `GOBIN=${join(folder, 'bin')} go install go.k6.io/k6@v${versions.k6}` };
  return toolReader({
    name,
    command: () => [program, 'run', '--quiet', '--no-usage-report', join(sourcesOf('../bench-peers'), 'k6-reader.js')],
    env: ({ url, clients, subscription }) => ({ URL: url, CLIENTS: String(clients), SUBSCRIPTION: subscription }),
    report: (stdout) => k6Report.parse(JSON.parse(stdout)),
  });
}

const k6Report = z.object({ messages: z.number(), p99Ms: z.number().optional() });

/** Virtual users that Artillery starts in a second. */
const arrivalsPerSecond = 500;
/** Longer than any load. */
const staySeconds = 3600;

/** Artillery, if it is on PATH or where the command below puts it. It reports nothing of unasked messages. */
export function artillery(): Reader | Missing {
  const name = 'Artillery';
  const place = join(folder, 'artillery');
  const program = found('artillery', join(place, 'node_modules/artillery/bin/run'));
  if (program === undefined)
    return { name, lack: `npm install --prefix ${place} --ignore-scripts artillery@${versions.artillery}` };
  const tool: Tool = {
    name,
    command: ({ url, clients, subscription, directory }) => {
      const script = join(directory, 'artillery.json');
      const phases = [{ duration: Math.ceil(clients / arrivalsPerSecond), arrivalCount: clients }];
      const flow = [{ send: subscription }, { think: staySeconds }];
      writeFileSync(script, JSON.stringify({ config: { target: url, phases }, scenarios: [{ engine: 'ws', flow }] }));
      return [process.execPath, program, 'run', '--quiet', script];
    },
    env: () => ({ ARTILLERY_DISABLE_TELEMETRY: 'true' }),
    report: () => ({}),
  };
  return toolReader(tool);
}

function found(name: string, installed: string): string | undefined {
  return onPath(name) ?? (isExecutable(installed) ? installed : undefined);
}
