import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { comparison } from '../contract/comparison.js';
import { suiteResult } from '../contract/suite.js';
import type { Ended } from '../testing/command.js';
import { doors } from '../testing/doors.js';
import { keptDirectory, keptResult, workplace } from '../testing/workplace.js';

const key = 'k9-hush-7919';
const place = workplace();
const results = join(place.folder, 'results');
const env = { RINGSIDE_RESULTS: results, MINE_KEY: key };
const load = ['--subscribers', '13', '--broadcasts', '11', '--rate', '20/s', '--warm-up', '3', '--drain', '5s'];
const door = doors();
/** The cookies of those that were let in. */
const cookies: string[] = [];
let own: { wsUrl: string; publishUrl: string };
let file: string;

const map = ({ wsUrl, publishUrl }: typeof own): string =>
  `{ name: mine, targetUrl: "${wsUrl}", protocol: ws-json, publishUrl: "${publishUrl}", header: ["Authorization: Bearer \${MINE_KEY}", "Cookie: who={client}"] }`;

beforeAll(async () => {
  const { port } = await place.serve('servers/metronome/main.js');
  const guarded = await door.upgrades(port, ({ headers }) => {
    if (headers.authorization !== `Bearer ${key}`) return 401;
    cookies.push(headers.cookie ?? '');
    return undefined;
  });
  own = { wsUrl: `ws://127.0.0.1:${guarded}/ws`, publishUrl: `http://127.0.0.1:${port}/_broadcast` };
  file = join(place.folder, 'own.yml');
  writeFileSync(file, map(own));
});

/** Everything that was written to files under a directory. */
function written(directory: string): string {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .map((path) => join(directory, path))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, 'latin1'))
    .join('\n');
}

/** The key is told nowhere; a failure does not tell it either. */
function expectSecret(...ended: Ended[]): void {
  const told = [...ended.flatMap(({ stdout, stderr }) => [stdout, stderr]), written(results)];
  expect(told.some((text) => text.includes(key))).toBe(false);
}

describe('a server of the user’s own that wants a login', () => {
  const reach = (): string[] => [
    ...['--target-url', own.wsUrl, '--publish-url', own.publishUrl, '--protocol', 'ws-json', ...load],
  ];

  it('is loaded with the headers that are given, and refuses all without them', async () => {
    const refused = await place.run(['run', 'latency', ...reach()], env);
    expect(keptResult(refused).stop).toMatchObject({
      code: 'refused',
      evidence: expect.arrayContaining(['http-status:401 × 13']),
    });

    cookies.length = 0;
    const header = { RINGSIDE_HEADER: `Authorization: Bearer ${key}\nCookie: who={client}` };
    const args = ['run', 'latency', ...reach(), '--local-shards', '2', '--workers', '2'];
    const ended = await place.run(args, { ...env, ...header });
    const { ledger, target } = keptResult(ended);
    expect(ledger).toMatchObject({ expected: 13 * 11, delivered: 13 * 11, lost: 0 });
    expect(target.settings).toEqual({ upgradeHeaders: 'Authorization, Cookie' });
    const numbers = Array.from({ length: 13 }, (_, client) => `who=${client}`);
    expect([...cookies].sort()).toEqual(numbers.sort());
    expectSecret(refused, ended);
  }, 240_000);

  it('is compared with ours, by its name', async () => {
    const ended = await place.run(
      ['compare', 'latency', '--target', 'ws', '--target-file', file, ...load, '--repeat', '2'],
      env,
    );
    const kept = comparison.parse(JSON.parse(readFileSync(join(keptDirectory(ended), 'comparison.json'), 'utf8')));
    expect(kept.rows.map(({ target, state, runs }) => [target, state, runs.length])).toEqual([
      ['ws', 'ran', 2],
      ['mine', 'ran', 2],
    ]);
    const runs = kept.rows.flatMap((row) => row.runs.map(({ result }) => result));
    for (const { ledger } of runs) expect(ledger).toMatchObject({ expected: 143, lost: 0 });
    expect(new Set(runs.map(({ fingerprint }) => fingerprint)).size).toBe(1);
    expect(ended.stdout).toMatch(/^mine /m);
    expectSecret(ended);
  }, 240_000);

  it('is part of a suite, which goes on where it was interrupted', async () => {
    const path = join(place.folder, 'own-suite.yml');
    const options = 'subscribers: 13, broadcasts: 11, rate: 20/s, warmUp: 3, drain: 5s';
    writeFileSync(
      path,
      `name: own\nseed: 7\ntargets: [ws, ${map(own)}]\nrepeat: 2\nentries:\n  - { scenario: latency, thresholds: [lost==0], options: { ${options} } }\n`,
    );
    const nobody = await place.run(['suite', 'run', path], { ...env, MINE_KEY: undefined });
    expect(nobody).toMatchObject({ code: 2, stderr: expect.stringContaining('the environment variable MINE_KEY') });

    const first = place.ringside(['suite', 'run', path], env);
    await first.said('stderr', /^2\/4 latency mine .* publish/m);
    first.kill('SIGINT');
    const interrupted = await first.ended;
    expect(interrupted.code).toBe(130);

    const second = await place.run(['suite', 'run', path, '--resume'], env);
    expect(second.stderr).toMatch(/^suite own: 1 entries, 4 runs, 1 of them done, /m);
    const { isComplete, entries } = suiteResult.parse(
      JSON.parse(readFileSync(join(keptDirectory(second), 'suite.json'), 'utf8')),
    );
    expect(isComplete).toBe(true);
    expect(entries[0]?.rows.map(({ target }) => target)).toEqual(['ws', 'mine']);
    const night = await place.run(['suite', 'run', path, '--previous', results, '--json'], env);
    const [held] = suiteResult.parse(JSON.parse(night.stdout)).entries;
    expect(held?.rows.map(({ target, changes }) => [target, changes === null])).toEqual([
      ['ws', false],
      ['mine', false],
    ]);
    expectSecret(nobody, interrupted, second, night);
  }, 240_000);
});
