import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { smallSource } from '../../../test/published.js';
import { ProblemError } from '../../contract/problems.js';
import { tablesOf } from '../../results/published.js';
import { chosenTables, nearest, readPublished } from './published.js';

const folder = mkdtempSync(join(tmpdir(), 'published-'));
afterAll(() => rmSync(folder, { recursive: true }));
const write = (name: string, content: unknown): void => writeFileSync(join(folder, name), JSON.stringify(content));

describe('published figures', () => {
  it('of Ringside are found', () => {
    expect(readPublished().map(({ id }) => id)).toContain('bench-latency-1k');
  });

  it('are read from any directory, with all problems at once', () => {
    write('a.json', smallSource);
    expect(readPublished(folder)).toEqual(tablesOf(smallSource));
    write('b.json', { ...smallSource, machine: 7 });
    write('c.json', smallSource);
    expect(() => readPublished(folder)).toThrow(/b\.json: machine: .*\n.*small-latency/s);
    expect(() => readPublished(join(folder, 'none'))).toThrow(ProblemError);
  });

  it('are chosen by table or by figure', () => {
    const tables = tablesOf(smallSource);
    expect(chosenTables(tables, ['small-latency'])).toEqual([tables[0]]);
    const [one] = chosenTables(tables, ['small-ws-lost', 'small-uws-p50']);
    expect(one?.figures.map(({ id }) => id)).toEqual(['small-uws-p50', 'small-ws-lost']);
    expect(chosenTables(tables, ['small-steps-ws', 'small-ws-p50']).map(({ id }) => id)).toEqual([
      'small-latency',
      'small-steps',
    ]);
  });

  it('that do not exist are refused together, with the nearest ones', () => {
    expect(() => chosenTables(tablesOf(smallSource), ['latency-ws', 'small-go'])).toThrow(
      /"latency-ws".* small-ws-p50, small-latency, .*\n.*"small-go".* small-go-p50/s,
    );
    expect(nearest('uws p50', ['a-uws-p50', 'uws', 'p50-of-uws-again', 'ws'], 2)).toEqual([
      'a-uws-p50',
      'p50-of-uws-again',
    ]);
  });
});
