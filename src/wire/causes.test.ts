import { constants } from 'node:os';
import { describe, expect, it } from 'vitest';
import { causeOf, causeOfNumber } from './causes.js';
import { chooseEngine, engineHere } from './choice.js';
import { causeKinds } from './wire.js';

const system = (code: string, syscall = 'connect') => Object.assign(new Error(code), { code, syscall, errno: -1 });

const fromTls = (code: string) => Object.assign(new Error(code), { code });

it.each([
  [system('ECONNREFUSED'), false, 'connect-refused'],
  [system('EADDRNOTAVAIL'), false, 'ports-exhausted'],
  [system('EADDRINUSE'), false, 'ports-exhausted'],
  [system('EADDRNOTAVAIL', 'bind'), false, 'source-address'],
  [system('EMFILE'), false, 'descriptors-exhausted'],
  [system('ENFILE'), false, 'descriptors-exhausted'],
  [system('ECONNRESET', 'read'), true, 'reset'],
  [system('EPIPE', 'write'), true, 'reset'],
  [system('ETIMEDOUT'), false, 'connect-timeout'],
  [system('ETIMEDOUT', 'read'), true, 'network:ETIMEDOUT'],
  [system('EHOSTUNREACH'), false, 'network:EHOSTUNREACH'],
  [system('ENOTFOUND', 'getaddrinfo'), false, 'network:ENOTFOUND'],
  [new TypeError('no code'), false, 'network:TypeError'],
])('%s, open %s: %s', (error, isOpen, cause) => {
  expect(causeOf(error, false, isOpen)).toBe(cause);
  expect(Object.keys(causeKinds)).toContain(cause.split(':')[0]);
});

it.each([
  [fromTls('DEPTH_ZERO_SELF_SIGNED_CERT'), 'tls:DEPTH_ZERO_SELF_SIGNED_CERT'],
  [fromTls('ERR_SSL_WRONG_VERSION_NUMBER'), 'tls:ERR_SSL_WRONG_VERSION_NUMBER'],
  [fromTls('ECONNRESET'), 'end-of-stream'],
  [system('ECONNRESET'), 'reset'],
  [system('ECONNREFUSED'), 'connect-refused'],
  [system('EHOSTUNREACH'), 'network:EHOSTUNREACH'],
])('over TLS, %s: %s', (error, cause) => expect(causeOf(error, true, false)).toBe(cause));

it.each([
  [constants.errno.ECONNREFUSED, false, false, 'connect-refused'],
  [constants.errno.EADDRNOTAVAIL, true, false, 'source-address'],
  [constants.errno.EADDRNOTAVAIL, false, false, 'ports-exhausted'],
  [constants.errno.ETIMEDOUT, false, true, 'network:ETIMEDOUT'],
])('the number %i, of bind %s, open %s: %s', (number, isBind, isOpen, cause) =>
  expect(causeOfNumber(number, isBind, isOpen)).toBe(cause),
);

const here = await engineHere();

describe('the choice of an engine', () => {
  it('is the JavaScript one where it is asked for, and by itself the best that is here', async () => {
    expect(await chooseEngine('js', false)).toEqual({ name: 'js' });
    expect(await chooseEngine('auto', true)).toEqual(here);
    expect(await chooseEngine('auto', false)).toEqual(here);
  });

  it.runIf(here.name === 'js')('fails where the native one is asked for and not to be had', async () => {
    await expect(chooseEngine('native', true)).rejects.toThrow();
  });
});
