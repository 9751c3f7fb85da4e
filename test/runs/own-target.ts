import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect } from 'vitest';
import type { Ended } from '../command.js';
import { doors } from '../doors.js';
import { workplace } from '../workplace.js';

export const key = 'k9-hush-7919';

export const place = workplace();

export const results = join(place.folder, 'results');

export const env = { RINGSIDE_RESULTS: results, MINE_KEY: key };

export const load = ['--clients', '13', '--broadcasts', '11', '--rate', '20/s', '--warm-up', '3', '--drain', '5s'];

const door = doors();

/** The cookies of those that were let in. */
export const cookies: string[] = [];

export let own: { wsUrl: string; publishUrl: string };

export let file: string;

const headers = `header: ["Authorization: Bearer \${MINE_KEY}", "Cookie: who={client}"]`;

export const map = ({ wsUrl, publishUrl }: typeof own): string =>
  `{ name: mine, targetUrl: "${wsUrl}", protocol: ws-json, publishUrl: "${publishUrl}", ${headers} }`;

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
export function expectSecret(...ended: Ended[]): void {
  const told = [...ended.flatMap(({ stdout, stderr }) => [stdout, stderr]), written(results)];
  expect(told.some((text) => text.includes(key))).toBe(false);
}
