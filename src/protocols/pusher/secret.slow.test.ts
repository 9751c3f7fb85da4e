import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { latencyFlags } from '../../../test/latency.js';
import { refusal } from '../../../test/refusal.js';
import { pagesOf } from '../../../test/runs/watch.js';
import { filesIn, keptDirectory, keptResult, type Served, workplace } from '../../../test/workplace.js';

const place = workplace();
/** A word that no output has by itself, and in front of it what JSON, HTML, URLs, shells and patterns write anew. */
const word = 'qnvzxhush';
const secret = `<"é\\{client}&'%41 ${word}`;
const traces = [word, Buffer.from(secret).toString('base64').replace(/=+$/, ''), Buffer.from(secret).toString('hex')];

/** Where traces of the secret are, by name, in texts and in every file under the folder of all programs. */
function leaks(texts: Readonly<Record<string, string>>): string[] {
  const files = filesIn(place.folder).flatMap((name) => {
    const path = join(place.folder, name);
    return statSync(path).isFile() ? [[name, readFileSync(path, 'latin1')] as const] : [];
  });
  return [...Object.entries(texts), ...files]
    .filter(([, text]) => traces.some((trace) => text.includes(trace)))
    .map(([name]) => name);
}

it('a leak would be found', () => {
  const file = join(place.folder, 'leak.json');
  writeFileSync(file, JSON.stringify({ secret }));
  expect(leaks({ none: 'hush', hex: Buffer.from(secret).toString('hex') })).toEqual(['hex', 'leak.json']);
  rmSync(file);
});

/** Flags of a run against that server, as somebody else's. */
function runFlags({ port }: Served): string[] {
  const at = ['--target-url', `ws://127.0.0.1:${port}`, '--publish-url', `http://127.0.0.1:${port}`];
  return ['run', 'latency', '--protocol', 'pusher', ...at, ...latencyFlags(7, 53)];
}

/** All that a program has written, after its end. */
async function wordsOf({ command }: Served): Promise<string> {
  command.kill('SIGTERM');
  const { stdout, stderr } = await command.ended;
  return stdout + stderr;
}

it('a secret of strange letters opens channels, and is in no output, page, log or kept file', async () => {
  const given = { RINGSIDE_PUSHER_SECRET: secret };
  const server = await place.serve('servers/metronome/main.js', ['--protocol', 'pusher'], given);
  const runner = await place.benchRunner();
  const command = place.ringside([...runFlags(server), '--watch', '--json'], {
    ...given,
    SHARDS: `http://127.0.0.1:${runner.port}`,
  });
  const [, url = ''] = await command.said('stderr', /(http:\/\/127\.0\.0\.1:\d+\/)\n/);
  const shown = pagesOf(url);
  const ended = await command.ended;
  const result = keptResult(ended);
  expect([result.stop.code, result.ledger.delivered]).toEqual(['completed', 53 * 7]);
  expect(result.target.settings).toEqual(expect.objectContaining({ pusherSecret: '(hidden)' }));
  const html = join(place.folder, 'page.html');
  const directory = keptDirectory(ended);
  const later = await Promise.all([
    place.run(['report', directory, '--html', html]),
    place.run(['show', directory]),
    place.run(['export', directory, '--format', 'prometheus']),
  ]);
  expect(later.map(({ code }) => code)).toEqual([0, 0, 0]);
  expect(filesIn(place.folder)).toContain('page.html');
  const pages = await shown;
  const texts = {
    ...{ stdout: ended.stdout, stderr: ended.stderr, pages: pages.join('\n') },
    later: JSON.stringify(later),
    ...{ server: await wordsOf(server), runner: await wordsOf(runner) },
  };
  expect(pages.at(-1)).toContain('<h2 id="how-to-read-title">');
  expect(leaks(texts)).toEqual([]);
});

it('a secret that the server does not know is in no output either', async () => {
  const server = await place.serve('servers/metronome/main.js', ['--protocol', 'pusher']);
  const { stdout, stderr } = await place.run(runFlags(server), { RINGSIDE_PUSHER_SECRET: secret });
  expect(stdout + stderr).toContain('rejected:subscription_error');
  expect(leaks({ stdout, stderr, server: await wordsOf(server) })).toEqual([]);
});

it('a refused call shows no secret', async () => {
  const file = join(place.folder, 'job.yml');
  const wrong = [secret, [secret], { secret }];
  const at = ['--target-url', 'ws://127.0.0.1:1', '--publish-url', 'http://127.0.0.1:1'];
  const flag = ['--pusher-secret', secret];
  const calls = [
    ['run', 'latency', ...at, '--protocol', 'ws-json', ...flag],
    ['run', 'latency', '--target', 'ws', ...flag],
    ['run', 'whisper', ...at, '--protocol', 'pusher', '--pusher-channel', 'public', ...flag],
    ['run', 'latency', ...at, '--protocol', 'pusher', '--repeat', '0', ...flag],
  ];
  const refused = await Promise.all(calls.map((args) => refusal(place.ringside([...args, '--json']))));
  const ofFiles: unknown[] = [];
  for (const pusherSecret of wrong.slice(1)) {
    writeFileSync(file, JSON.stringify({ pusherSecret }));
    ofFiles.push(await refusal(place.ringside(['run', 'latency', '--file', file, '--target', 'ws', '--json'])));
  }
  writeFileSync(file, '');
  expect(refused.map(({ length }) => length)).toEqual([1, 1, 1, 1]);
  expect(ofFiles).toHaveLength(2);
  expect(leaks({ refused: JSON.stringify([refused, ofFiles]) })).toEqual([]);
});
