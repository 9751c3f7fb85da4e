import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Data, DataOptions } from './api.js';
import { ClientDraws } from './client/draws.js';
import { checkRows, csv, json, rowFor } from './data.js';

const globals = globalThis as Record<symbol, unknown>;
const [sent, named] = [Symbol.for('ringside.data'), Symbol.for('ringside.files')];
afterEach(() => {
  delete globals[sent];
  delete globals[named];
});

function send(files: Record<string, string>): void {
  globals[sent] = files;
}

const seven = JSON.stringify(Array.from({ length: 7 }, (_, row) => ({ row })));
const rowsOf = <R>(data: Data<R>) => Array.from({ length: data.rows }, (_, index) => data.row(index));

describe('rows of a file', () => {
  it('are those of CSV by column, with quotes, empty lines and a byte order mark', () => {
    send({ 'users.csv': '\ufeffname,token\n"O""Brien, A",7\n\nBo,11\n' });
    expect(rowsOf(csv('users.csv'))).toEqual([
      { name: 'O"Brien, A', token: '7' },
      { name: 'Bo', token: '11' },
    ]);
  });

  it('are those on the disk if none were sent, read at first use', () => {
    const path = join(mkdtempSync(join(tmpdir(), 'ringside-')), 'rows.json');
    const data = json<{ row: number }>(path);
    writeFileSync(path, seven);
    expect([data.rows, data.row(6)]).toEqual([7, { row: 6 }]);
  });

  it('are collected by path where the driver asks', () => {
    globals[named] = new Set();
    csv('a.csv');
    json('b.json');
    csv('a.csv');
    expect(globals[named]).toEqual(new Set(['a.csv', 'b.json']));
  });

  it('are refused with the path', () => {
    send({ 'a.json': '{}', 'b.csv': 'a,b\n"1' });
    expect(() => json('a.json').rows).toThrow('data of the flow, a.json: expected a list at the top');
    expect(() => csv('b.csv').rows).toThrow(/^data of the flow, b\.csv: /);
    expect(() => csv('none.csv').rows).toThrow(/none\.csv: ENOENT/);
  });
});

describe('rows of clients', () => {
  const rowsDealt = (deal: DataOptions['deal'], clients: number, lives = 1, seed = 5) => {
    send({ 'rows.json': seven });
    const data = json<{ row: number }>('rows.json', deal === undefined ? {} : { deal });
    return Array.from({ length: clients }, (_, client) => {
      const draws = new ClientDraws(seed, client);
      return Array.from({ length: lives }, (_, life) => rowFor(data, { client, clients, life, draws }).row);
    }).flat();
  };

  it('each: client i has row i in all its lives', () => {
    expect(rowsDealt(undefined, 3, 2)).toEqual([0, 0, 1, 1, 2, 2]);
    expect(() => rowsDealt('each', 8)).toThrow(/expected row 7, counted from 0, but it has 7 rows/);
  });

  it('unique: no row goes to two lives', () => {
    expect(rowsDealt('unique', 3, 2)).toEqual([0, 3, 1, 4, 2, 5]);
    expect(() => rowsDealt('unique', 3, 3)).toThrow(expect.objectContaining({ cause: 'rows-used-up' }));
  });

  it('loop: the rows begin again', () => {
    expect(rowsDealt('loop', 9)).toEqual([0, 1, 2, 3, 4, 5, 6, 0, 1]);
  });

  it('random: the seed decides', () => {
    const dealt = rowsDealt('random', 200);
    expect(rowsDealt('random', 200)).toEqual(dealt);
    expect(rowsDealt('random', 200, 1, 6)).not.toEqual(dealt);
    expect(new Set(dealt).size).toBe(7);
  });

  it('are a row of a flow that brings its own', () => {
    const own: Data<string> = { rows: 2, row: (client) => `row ${client}` };
    expect(rowFor(own, { client: 1, clients: 2, life: 0, draws: new ClientDraws(1, 1) })).toBe('row 1');
    expect(checkRows(own, 3)).toMatch(/^data of the flow has 2 rows/);
  });

  it('are counted before the load', () => {
    send({ 'rows.json': seven, 'none.json': '[]' });
    const check = (deal: DataOptions['deal'], clients: number, path = 'rows.json') =>
      checkRows(json(path, { deal: deal! }), clients);
    expect([check('each', 7), check('unique', 7), check('loop', 1000), check('random', 8)]).toEqual(
      Array(4).fill(undefined),
    );
    expect(check('each', 1000)).toMatch(
      /^rows\.json has 7 rows, and 1,000 of 1,000 clients need one: add rows, lower /,
    );
    expect(check('loop', 2, 'none.json')).toMatch(/^none\.json has 0 rows, .* add rows$/);
  });
});
