import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { built } from '../test/built.js';
import { workplace } from '../test/workplace.js';
import { simulatedCases } from './bench/answers/case-list.js';

const place = workplace();
const start = (args: readonly string[]) => place.start(process.execPath, [built('scripts/bench-answers.js'), ...args]);

describe('scripts/bench-answers.js', () => {
  it('prints a row for each bound, keeps it, and ends as the rows say', async () => {
    const results = join(place.folder, 'answers');
    const ended = await start(['--only', 'itself', '--times', '1', '--quick', '--results', results]).ended;
    const [, ...rows] = ended.stdout.trimEnd().split('\n');
    expect(rows).toHaveLength(2);
    for (const row of rows) expect(row).toMatch(/ <= \d+ % +(kept|BROKEN) +[01] of 1/);
    // What the machine made of the comparison is up to it.
    expect(ended.code).toBe(ended.stdout.includes('BROKEN') ? 1 : 0);
    const [kept = ''] = readdirSync(results);
    const { table, notes } = JSON.parse(readFileSync(join(results, kept, 'answers.json'), 'utf8'));
    expect(table.slice(1)).toEqual(rows);
    expect(notes).toMatchObject([{ bench: 'itself', exitCode: expect.any(Number) }]);
  });

  it('prints a row for each case, and writes the same table in Markdown', async () => {
    const results = join(place.folder, 'simulation');
    const file = join(place.folder, 'table.md');
    const args = ['--only', 'simulation', '--times', '1', '--results', results, '--markdown', file];
    const { stdout } = await start(args).ended;
    const cases = simulatedCases.map(({ name }) => name);
    const [, ...rows] = stdout.split('\n');
    expect(rows.slice(0, cases.length).map((row, at) => row.startsWith(cases[at]!))).toEqual(cases.map(() => true));
    const written = readFileSync(file, 'utf8').trimEnd().split('\n').slice(-cases.length);
    expect(written.map((row) => row.split(' | ')[0])).toEqual(cases.map((name) => `| ${name}`));
  });

  it.each([
    ['--only', 'nothing'],
    ['--times', '0'],
  ])('refuses %s %s', async (...args) => {
    const ended = await start(args).ended;
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toContain(args[0]);
  });
});
