import { expect, it } from 'vitest';
import { noAnswerInWords } from './shard-client.js';

const coded = (code: string, message = 'raw') => Object.assign(new Error(message), { code });

it.each([
  [coded('ECONNREFUSED'), 'connection refused'],
  [Object.assign(new AggregateError([], ''), { code: 'ECONNREFUSED' }), 'connection refused'],
  [coded('UND_ERR_CONNECT_TIMEOUT'), 'no connection in time'],
  [coded('UND_ERR_HEADERS_TIMEOUT'), 'no answer in time'],
  [coded('UND_ERR_SOCKET', 'other side closed'), 'connection closed'],
  [new TypeError('fetch failed', { cause: coded('ENOTFOUND') }), 'its name does not resolve'],
  [coded('DEPTH_ZERO_SELF_SIGNED_CERT', 'self-signed certificate'), 'self-signed certificate'],
])('%s becomes words', (error, words) => {
  expect(noAnswerInWords(error)).toBe(words);
});
