import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Command } from '../../test/command.js';
import type { FleetEnvironment } from '../../test/fleet.js';
import { latencyFlags } from '../../test/latency.js';
import { pagesOf } from '../../test/runs/watch.js';
import { exitOf, keptDirectory, keptResult, workplace } from '../../test/workplace.js';

const place = workplace();
/** A second signal within a second counts as the same press. */
const anotherPressMs = 1100;

/** A watched run that reads `answer` in place of its kept samples, and all that its page shows, to the end. */
async function watched(
  name: string,
  answer: string,
  env: FleetEnvironment,
): Promise<{ command: Command; told: Promise<string[]> }> {
  const file = join(place.folder, `${name}.cjs`);
  writeFileSync(
    file,
    `const files = require('node:fs/promises');
const { readFile } = files;
files.readFile = (path, ...more) => (String(path).endsWith('.bin') ? ${answer} : readFile(path, ...more));
require('node:module').syncBuiltinESMExports();
`,
  );
  const flags = ['--target', 'ws', ...latencyFlags(3, 11), '--rate', '10/s', '--watch'];
  const command = place.ringside(['run', 'latency', ...flags], { ...env, NODE_OPTIONS: `--require=${file}` });
  const [, url = ''] = await command.said('stderr', /(http:\/\/127\.0\.0\.1:\d+\/)\n/);
  return { command, told: pagesOf(url) };
}

it.concurrent('a report that can’t be made is reported on the page, and the run ends as it ended', () =>
  place.fleet.lend(1, async (env) => {
    const { command, told } = await watched('damaged', `Promise.resolve(Buffer.from('no samples'))`, env);
    const last = (await told).at(-1) ?? '';
    const ended = await command.ended;
    expect(last).toContain(`kept in ${keptDirectory(ended)}. No report`);
    expect(ended.code).toBe(exitOf(keptResult(ended)));
    expect(ended.stdout).toContain('delivery');
  }));

it.concurrent('a signal while the report is made leaves the run kept, and the next one ends the wait', () =>
  place.fleet.lend(1, async (env) => {
    const { command, told } = await watched('waiting', 'new Promise(() => undefined)', env);
    await command.said('stderr', /\n.*\/results\/\S+\n/);
    command.kill('SIGINT');
    await command.said('stderr', /\/results\/\S+\n[\s\S]*\/results\//);
    await delay(anotherPressMs);
    command.kill('SIGINT');
    const ended = await command.ended;
    expect([ended.code, keptResult(ended).stop.code]).toEqual([130, 'completed']);
    expect((await told).filter((page) => page.includes('how-to-read'))).toEqual([]);
  }));
