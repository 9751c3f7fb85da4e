import { beforeEach, expect, test } from 'vitest';
import { RecordingEvents } from '../../../test/doubles/session-recorders.js';
import { causeKinds } from '../../wire/wire.js';
import { causeOfCloseCode, causeOfError, LibraryClients } from './clients.js';

/** Clients whose library says what the test says. */
class Told extends LibraryClients {
  override started = super.started;
  override opened = super.opened;
  override ended = super.ended;
  protected socketOf = () => undefined;
  protected endAll = () => undefined;
}

let events: RecordingEvents;
let clients: Told;

beforeEach(() => {
  events = new RecordingEvents();
  clients = new Told(events.setup('ws://a.test/'), events);
});

test('an attempt and a connection end once each, however often the library says it', () => {
  for (const cause of ['connect-refused', 'reset']) {
    clients.started(1);
    if (cause === 'reset') for (let times = 0; times < 2; times++) clients.opened(1);
    clients.ended(1, cause);
    clients.ended(1, 'end-of-stream');
  }
  expect(events.lines).toEqual(['1 closed connect-refused false', '1 opened', '1 closed reset true']);
});

test('a client that is not to be open is not, and nothing is reported after the end', () => {
  clients.opened(0);
  clients.started(0);
  clients.ended(0, 'ours');
  clients.opened(0);
  clients.started(2);
  clients.dispose();
  clients.opened(2);
  clients.ended(2, 'reset');
  expect(events.lines).toEqual(['0 closed ours false']);
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
