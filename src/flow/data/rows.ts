import { countText, plural } from '../../units/text.js';
import { type Any, type Data, Left } from '../api.js';
import type { ClientDraws } from '../client/draws.js';
import type { FileData } from './data.js';

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
