import { constants, deflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { parseCompression } from '../units/http.js';
import { compressionChosen, compressionOffered, extensionOffered, Inflater } from './deflate.js';
import { largestMessage } from './frames/masked-frame.js';

const offer = (parameters: string) => ({ parameters, isRequired: false });

describe('an offer', () => {
  it('is the header of its parameters, or nothing', () => {
    const load = { compression: 'require', compressionOptions: 'client_max_window_bits' } as const;
    expect(compressionOffered(load)).toEqual({ parameters: 'client_max_window_bits', isRequired: true });
    expect(compressionOffered({ ...load, compression: 'off' })).toBeUndefined();
    expect(extensionOffered(offer('client_max_window_bits'))).toBe('permessage-deflate; client_max_window_bits');
    expect(extensionOffered(offer(''))).toBe('permessage-deflate');
  });

  it.each(['', 'client_max_window_bits', 'server_max_window_bits=8;server_no_context_takeover'])('may be %j', (text) =>
    expect(parseCompression(text, true)).toBeDefined(),
  );

  it.each(['x', 'server_max_window_bits', 'server_max_window_bits=7', 'client_max_window_bits=16', 'a;a'])(
    'is not %j',
    (text) => expect(parseCompression(text, true)).toBeUndefined(),
  );
});

describe('the answer of a target', () => {
  const chosen = (header: string, parameters = '') => compressionChosen(header, offer(parameters));

  it('says its window and whether it keeps a context', () => {
    expect(chosen('permessage-deflate')).toEqual({ parameters: '', windowBits: 15, keepsContext: true });
    expect(chosen('permessage-deflate;server_max_window_bits="10" ; server_no_context_takeover')).toEqual({
      ...{ parameters: 'server_max_window_bits="10"; server_no_context_takeover' },
      ...{ windowBits: 10, keepsContext: false },
    });
  });

  it.each([
    ['another', ''],
    ['permessage-deflate, permessage-deflate', ''],
    ['permessage-deflate; client_max_window_bits=10', ''],
    ['permessage-deflate; client_max_window_bits', 'client_max_window_bits'],
    ['permessage-deflate; server_max_window_bits=12', 'server_max_window_bits=10'],
    ['permessage-deflate', 'server_max_window_bits=10'],
    ['permessage-deflate', 'server_no_context_takeover'],
    ['permessage-deflate; server_no_context_takeover; server_no_context_takeover', ''],
  ])('%j to the offer %j breaks the RFC', (header, parameters) => expect(chosen(header, parameters)).toBeUndefined());
});

describe('an inflater', () => {
  const inflater = () => new Inflater({ windowBits: 15, keepsContext: true });
  const deflated = (text: string, finishFlush: number = constants.Z_SYNC_FLUSH) =>
    deflateRawSync(text, { finishFlush });
  const cut = (bytes: Buffer) => bytes.subarray(0, bytes.length - 4);

  it('goes on behind a stream that its sender ended', () => {
    const one = inflater();
    const ended = deflated('first', constants.Z_FINISH);
    expect(String(one.inflate(ended, 0, ended.length))).toBe('first');
    const next = cut(deflated('second'));
    expect(String(one.inflate(next, 0, next.length))).toBe('second');
    one.close();
  });

  it('says that data is wrong, or a message too big', () => {
    const one = inflater();
    expect(one.inflate(Buffer.from('ffffffff', 'hex'), 0, 4)).toBe('wrong compressed data');
    one.close();
    const other = inflater();
    const bomb = cut(deflated('a'.repeat(largestMessage + 1)));
    expect(bomb.length).toBeLessThan(100_000);
    expect(other.inflate(bomb, 0, bomb.length)).toBe('message too big');
    other.close();
  });
});
