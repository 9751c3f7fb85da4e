import { expect, it } from 'vitest';
import { expectGolden } from '../../../test/golden.js';
import { noAnswerInWords } from './partial-body.js';

const coded = (code: string, message = 'raw') => Object.assign(new Error(message), { code });

it('an error of a request becomes a few words', async () => {
  const codes = ['ECONNREFUSED', 'UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_SOCKET', 'ENOTFOUND'];
  await expectGolden('no-answer.txt', Object.fromEntries(codes.map((code) => [code, noAnswerInWords(coded(code))])));
});

it('of errors in errors the known one speaks, and an unknown one for itself', () => {
  const refused = noAnswerInWords(coded('ECONNREFUSED'));
  expect(noAnswerInWords(Object.assign(new AggregateError([], ''), { code: 'ECONNREFUSED' }))).toBe(refused);
  expect(noAnswerInWords(new TypeError('fetch failed', { cause: coded('ECONNREFUSED') }))).toBe(refused);
  expect(noAnswerInWords(coded('ERR_TLS_CERT_ALTNAME_INVALID', 'of its own'))).toBe('of its own');
});
