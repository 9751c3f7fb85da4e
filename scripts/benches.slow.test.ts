import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runResult } from '../src/results/result.js';
import { built } from '../test/built.js';
import { resultIn, workplace } from '../test/workplace.js';
import { simulatedCases } from './bench/answers/case-list.js';
import { isReversed } from './bench/lying-rig.js';

const place = workplace();
const run = (words: string, args: readonly string[], env = {}) => {
  const [script, ...bench] = words.split(' ');
  return place.start(process.execPath, [built(`scripts/${script}.js`), ...bench, ...args], env).ended;
};

it('bench rig prints a row for each bound and side, and ends as the rows say', async () => {
  const ended = await run('bench rig', ['--only', 'engine-opening', '--quick']);
  const [, bound = '', ...rows] = ended.stdout.trimEnd().split('\n');
  expect(bound).toMatch(/native \/ JS .* <= 0\.45 x/);
  for (const row of rows.slice(0, -1)) expect(row).toMatch(/ \d+\.\d\d us +rounds .*; 1\.00 reads each$/);
  // What the machine made of the comparison is up to it.
  expect(ended.code).toBe(ended.stdout.includes('BROKEN') ? 1 : 0);
});

it('bench peers prints a row for each peer that is here, without one that failed', async () => {
  const ended = await run('bench peers', ['--only', 'node', '--quick']);
  expect(ended.code).toBe(0);
  const [, ...lines] = ended.stdout.trimEnd().split('\n');
  for (const line of lines) expect(line).toMatch(/is not here: |( [\d,.]+ (us|bytes|ms)| –)+$/);
  expect(lines).toHaveLength(1);
});

it('bench peers counts what a server of known truth lost and doubled', async () => {
  const ended = await run('bench peers', ['--only', 'truth, 1 % lost, 1 % twice, 100, Ringside', '--quick']);
  expect(ended.code).toBe(0);
  const [, row = ''] = ended.stdout.split('\n');
  const [, ...counts] = /([\d,]+) +([\d,]+) +(\d+) +(\d+) +(\d+) +(\d+)$/.exec(row) ?? [];
  expect(counts).toEqual(['10,508', '10,508', '94', '94', '102', '102']);
});

it('bench answers prints a row for each case and bound, keeps them, and ends as they say', async () => {
  const results = join(place.folder, 'answers');
  const ended = await run('bench answers', ['--only', 'itself', '--times', '1', '--quick', '--results', results]);
  const [cases = '', bounds = ''] = ended.stdout.trimEnd().split('\n\n');
  expect(cases.split('\n')[1]).toMatch(/^a server against itself +measured +1 /);
  for (const row of bounds.split('\n').slice(1)) expect(row).toMatch(/^itself: .* <= 0 +(kept|BROKEN) +of 1/);
  expect(ended.code).toBe(ended.stdout.includes('BROKEN') ? 1 : 0);
  const kept = readdirSync(results).find((name) => name.endsWith('-answers')) ?? '';
  const { table, rows } = JSON.parse(readFileSync(join(results, kept, 'answers.json'), 'utf8'));
  expect(table).toEqual(bounds.split('\n'));
  expect(rows).toMatchObject([{ name: 'a server against itself', repeats: 1 }]);
});

it('bench answers writes the table of cases in Markdown, too', async () => {
  const results = join(place.folder, 'simulation');
  const file = join(place.folder, 'table.md');
  const args = ['--only', 'simulation', '--times', '1', '--results', results, '--markdown', file];
  const { stdout } = await run('bench answers', args);
  const cases = simulatedCases.map(({ name }) => name);
  const [, ...rows] = stdout.split('\n');
  expect(rows.slice(0, cases.length).map((row, at) => row.startsWith(cases[at]!))).toEqual(cases.map(() => true));
  const written = readFileSync(file, 'utf8').trimEnd().split('\n').slice(-cases.length);
  expect(written.map((row) => row.split(' | ')[0])).toEqual(cases.map((name) => `| ${name}`));
});

it('bench idle holds the connections of two local shards and passes flags on', async () => {
  const env = { PER_SHARD_N: '7', HOLD_SEC: '0', RINGSIDE_RESULTS: place.folder };
  const { ledger, shards, job } = runResult.parse(
    JSON.parse((await run('bench idle', ['--settle', '1ms', '--json'], env)).stdout),
  );
  expect(ledger).toMatchObject({ asked: 14, held: 14, proven: 14, lost: 0 });
  expect(shards).toHaveLength(2);
  expect(job.options).toMatchObject({ durationMs: 0, settleMs: 1, rampRatePerSecond: 2000 });
});

it('lying-rig measures one target with two rigs and ignores load variables', async () => {
  const args = ['--target', 'ws', '--clients', '101', '--broadcasts', '7'];
  const ended = await run('bench lying-rig', args, {
    RINGSIDE_WORKERS: '3',
    RINGSIDE_CLIENT: 'wire',
    SHARDS: 'http://127.1:1',
  });
  const runs = [...ended.stderr.matchAll(/^kept in (.+)$/gm)].map(([, directory = '']) => resultIn(directory));
  expect(runs).toHaveLength(2);
  expect(ended.stdout).toMatch(/^7 .* 101 .* ws\b/);
  expect(ended.stdout).toMatch(/1 loop, library clients +\d+ loops, wire clients/);
  // Whether 101 clients are too many for one loop is up to the machine.
  expect(ended.code).toBe(isReversed(runs[0]!, runs[1]!) ? 0 : 4);
});

it.each([
  ['bench rig', ['--only', 'nothing'], 'nothing'],
  ['bench peers', ['--only', 'nothing'], 'nothing'],
  ['bench answers', ['--times', '0'], '--times'],
  ['bench idle', ['--shard', 'a'], '--shard'],
  ['bench lying-rig', ['--target', 'nobody'], 'nobody'],
  ['bench lying-rig', ['--clients', '0'], '--clients'],
])('%s refuses %j', async (script, args, named) => {
  const ended = await run(script, args);
  expect(ended).toMatchObject({ code: 2, stdout: '' });
  expect(ended.stderr).toContain(named);
});
