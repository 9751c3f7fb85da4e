import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Command } from '../../test/command.js';
import { latencyFlags } from '../../test/latency.js';
import { exitOf, keptResult, workplace } from '../../test/workplace.js';

const place = workplace();

/** A watched run of a second that gets this for the samples that it has kept, and all that its page is told, to its end. */
async function watched(name: string, answer: string): Promise<{ command: Command; told: Promise<string> }> {
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
  const command = place.ringside(['run', 'latency', ...flags], { NODE_OPTIONS: `--require=${file}` });
  const [, url = ''] = await command.said('stderr', /watch it on (http:\/\/127\.0\.0\.1:\d+\/)\n/);
  const told = fetch(`${url}events`).then(async (answered) => answered.text());
  return { command, told };
}

it('a report that can’t be made is told on stderr and on the page, and the run ends as it ended', async () => {
  const { command, told } = await watched('damaged', `Promise.resolve(Buffer.from('no samples'))`);
  const last = /^event: end\ndata: (.*)$/m.exec(await told)?.[1] ?? '{}';
  const { words, html } = JSON.parse(last) as { words: string; html: string | null };
  expect([words, html]).toEqual([expect.stringMatching(/^The run is over\. It is kept in .*\. No report: ./), null]);
  const ended = await command.ended;
  const { code, stderr, stdout } = ended;
  expect(code).toBe(exitOf(keptResult(ended)));
  expect(stderr).toMatch(/kept in .*\nno report on the page: ./);
  expect(stdout).toContain('delivery');
});

it('a signal while the report is made says that the run is over, and the next one ends the wait', async () => {
  const { command, told } = await watched('waiting', 'new Promise(() => undefined)');
  await command.said('stderr', /\nkept in /);
  command.kill('SIGINT');
  await command.said('stderr', /the run is over and kept in .*; its page is becoming its report \(once more to quit/);
  command.kill('SIGINT');
  expect((await command.ended).code).toBe(130);
  expect(await told).not.toContain('event: end');
});
