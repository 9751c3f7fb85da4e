import { expect, it } from 'vitest';
import { naming } from '../../../test/refusal.js';
import { readUsers } from './file.js';

it('reads rows with a mark of order, quotes, CRLF and empty lines', () => {
  const csv = '\ufeffname,"pin"\r\n\r\n"a ""b"", c",1\r\n"two\r\nlines",\r\n\r\nd,3';
  expect(readUsers(csv)).toEqual({
    columns: ['name', 'pin'],
    rows: [
      ['a "b", c', '1'],
      ['two\r\nlines', ''],
      ['d', '3'],
    ],
  });
});

it.each([
  ['name,pin\na,hush\n\nb\n', 'line 4:', '2', '1'],
  ['name,pin\na,hush,c\n', 'line 2:', '2', '3'],
  ['name,pin\na,"hush\n', 'line 2:', 'quotes'],
  ['name,pin\na,hu"sh\n', 'line 2:', 'quotes'],
  ['\nname,name\na,hush\n', 'line 2:', 'once'],
  ['client,pin\na,hush\n', 'line 1:', 'client, stream, data, n'],
  ['hush@a.test,pin\na,b\n', 'line 1:', 'letters'],
  ['name,\na,hush\n', 'line 1:', 'letters'],
  ['name\n', 'a line for each user'],
  ['', 'column names'],
])('says what is wrong with %j and where, without a value', (csv, ...parts) => {
  const read = readUsers(csv);
  expect(read).toEqual({ fault: naming(...parts) });
  expect(JSON.stringify(read)).not.toContain('hush');
});
