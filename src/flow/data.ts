import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { countText, plural } from '../units/text.js';
import { type Any, type Data, type DataOptions, Left } from './api.js';
import type { ClientDraws } from './client/draws.js';

/** Text of files by path, which the driver sends with the module. Left out where files are on the disk. */
const sentFiles = Symbol.for('ringside.data');
/** Set of the paths that a flow names, if the driver collects them. */
const namedFiles = Symbol.for('ringside.files');

type Globals = { [sentFiles]?: Readonly<Record<string, string>>; [namedFiles]?: Set<string> };

export type Dealing = NonNullable<DataOptions['deal']>;

/** Rows of a file, and how clients get them. */
export interface FileData<R> extends Data<R> {
  readonly path: string;
  readonly deal: Dealing;
}

/** Gives a row of a CSV file with a line of column names to each client. */
export function csv(path: string, options?: DataOptions): Data<Record<string, string>> {
  return fileData(path, options, (text) =>
    parse<Record<string, string>>(text, { bom: true, columns: true, skip_empty_lines: true }),
  );
}

/** Gives an entry of a JSON file, which is a list, to each client. */
export function json<R = Any>(path: string, options?: DataOptions): Data<R> {
  return fileData<R>(path, options, (text) => {
    const rows: unknown = JSON.parse(text);
    if (Array.isArray(rows)) return rows as R[];
    throw new Error('expected a list at the top');
  });
}

function fileData<R>(path: string, { deal = 'each' }: DataOptions = {}, read: (text: string) => R[]): FileData<R> {
  (globalThis as Globals)[namedFiles]?.add(path);
  let rows: R[] | undefined;
  const all = (): R[] => {
    rows ??= rowsOf(path, read);
    return rows;
  };
  return {
    path,
    deal,
    get rows() {
      return all().length;
    },
    row(client) {
      const isRepeated = deal === 'loop' || deal === 'random';
      const index = isRepeated ? client % all().length : client;
      if (index in all()) return all()[index]!;
      throw new RangeError(`${path}: expected row ${index}, counted from 0, but it has ${all().length} rows`);
    },
  };
}

function rowsOf<R>(path: string, read: (text: string) => R[]): R[] {
  try {
    return read((globalThis as Globals)[sentFiles]?.[path] ?? readFileSync(path, 'utf8'));
  } catch (error) {
    throw new Error(`data of the flow, ${path}: ${(error as Error).message}`, { cause: error });
  }
}

/** Returns how rows go to clients. A flow's own data are dealt like those of a file by default. */
function dealOf(data: Data<Any>): FileData<Any>['deal'] {
  return (data as Partial<FileData<Any>>).deal ?? 'each';
}

/** Explains why the rows do not suffice for so many clients, and what to do. Undefined if they do. */
export function checkRows(data: Data<Any>, clients: number): string | undefined {
  const [{ rows }, { path = 'data of the flow' }, deal] = [data, data as Partial<FileData<Any>>, dealOf(data)];
  const isOnce = deal === 'each' || deal === 'unique';
  const needed = isOnce ? clients : 1;
  if (rows >= needed) return undefined;
  const lack = `${path} has ${plural(rows, 'row')}, and ${countText(needed)} of ${countText(clients)} clients need one`;
  return `${lack}: add rows${isOnce ? `, lower --clients, or deal them with { deal: 'loop' }` : ''}`;
}

/** A life of a client: 0, and one more each time it begins anew. */
interface Life {
  client: number;
  clients: number;
  life: number;
  draws: ClientDraws;
}

/** Returns the row of a client in one of its lives. Throws `Left` if `unique` rows run out. */
export function rowFor<R>(data: Data<R>, { client, clients, life, draws }: Life): R {
  const deal = dealOf(data);
  if (deal === 'random') return data.row(Math.floor(draws.next('row') * data.rows));
  if (deal !== 'unique') return data.row(client);
  const row = client + life * clients;
  if (row < data.rows) return data.row(row);
  throw new Left('rows-used-up', `expected a row that no client had, but all ${data.rows} are used up`);
}
