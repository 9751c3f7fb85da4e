import { expect, test } from 'vitest';
import { causeKinds } from '../../wire/wire.js';
import { causeOfCloseCode, causeOfError } from './causes.js';

const coded = (code: string) => Object.assign(new Error('failed'), { code });

test.each([
  [coded('ECONNREFUSED'), 'connect-refused'],
  [new AggregateError([coded('ECONNREFUSED'), coded('EHOSTUNREACH')]), 'connect-refused'],
  [coded('ETIMEDOUT'), 'connect-timeout'],
  [coded('EADDRNOTAVAIL'), 'ports-exhausted'],
  [Object.assign(coded('EADDRNOTAVAIL'), { syscall: 'bind' }), 'source-address'],
  [coded('EMFILE'), 'descriptors-exhausted'],
  [coded('ECONNRESET'), 'reset'],
  [coded('DEPTH_ZERO_SELF_SIGNED_CERT'), 'tls:DEPTH_ZERO_SELF_SIGNED_CERT'],
  [coded('ERR_TLS_CERT_ALTNAME_INVALID'), 'tls:ERR_TLS_CERT_ALTNAME_INVALID'],
  [coded('HPE_INVALID_CONSTANT'), 'bad-upgrade:HPE_INVALID_CONSTANT'],
  [coded('WS_ERR_INVALID_UTF8'), 'protocol-error:WS_ERR_INVALID_UTF8'],
  [coded('EHOSTUNREACH'), 'network:EHOSTUNREACH'],
  [new Error('Unexpected server response: 503'), 'http-status:503'],
  [new Error('Opening handshake has timed out'), 'connect-timeout'],
  [new Error('Server sent no subprotocol'), 'bad-upgrade:Server sent no subprotocol'],
  [new Error('odd'), 'network:odd'],
  ['odd', 'network:odd'],
])('%s is %s', (error, cause) => {
  expect(causeOfError(error)).toBe(cause);
  expect(Object.keys(causeKinds)).toContain(cause.split(':')[0]);
});

test('a close code is kept but for 1006, which no target can send', () => {
  expect(causeOfCloseCode(1006)).toBe('end-of-stream');
  expect(causeOfCloseCode(1013)).toBe('close-code:1013');
});
