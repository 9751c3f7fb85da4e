import { beforeEach, expect, test } from 'vitest';
import { RecordingEvents } from '../../../test/doubles/session-recorders.js';
import { causeKinds } from '../../wire/wire.js';
import { causeOfCloseCode, causeOfError, Lifetimes } from './lifetimes.js';

let events: RecordingEvents;
let lifetimes: Lifetimes;

beforeEach(() => {
  events = new RecordingEvents();
  lifetimes = new Lifetimes(events, 3);
});

test('an attempt that fails is told once, however often the library says it', () => {
  lifetimes.started(1);
  lifetimes.ended(1, 'connect-refused');
  lifetimes.ended(1, 'end-of-stream');
  lifetimes.started(1);
  lifetimes.ended(1, 'connect-refused');
  expect(events.lines).toEqual(['1 closed connect-refused false', '1 closed connect-refused false']);
});

test('what is open is told once, and so is its end', () => {
  lifetimes.started(2);
  lifetimes.opened(2);
  lifetimes.opened(2);
  lifetimes.ended(2, 'reset');
  lifetimes.ended(2, 'end-of-stream');
  expect(events.lines).toEqual(['2 opened', '2 closed reset true']);
});

test('nobody is open who was not to be opened', () => {
  lifetimes.opened(0);
  lifetimes.started(0);
  lifetimes.ended(0, 'ours');
  lifetimes.opened(0);
  expect(events.lines).toEqual(['0 closed ours false']);
});

test('after dispose nothing is told', () => {
  lifetimes.started(0);
  lifetimes.dispose();
  lifetimes.opened(0);
  lifetimes.ended(0, 'reset');
  expect(lifetimes.isOver).toBe(true);
  expect(events.lines).toEqual([]);
});

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
