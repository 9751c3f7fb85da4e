import { describe, expect, it } from 'vitest';
import { CookieJar } from './cookies.js';

const nowMs = Date.UTC(2026, 0, 7);

/** The cookies that a client sends to `to` after an answer of `from` with these headers. */
function sent(from: string, headers: string[], to = from, afterMs = 0): string | undefined {
  const jar = new CookieJar();
  jar.keep(new URL(from), headers, nowMs);
  return jar.for(new URL(to), nowMs + afterMs);
}

describe('a cookie', () => {
  it('goes back with its value as it came', () => {
    expect(sent('http://a.example/login', ['id=a%20=b"; HttpOnly; SameSite=Lax'])).toBe('id=a%20=b"');
    expect(sent('http://a.example/', ['a=1', 'b=2', 'a=3'])).toBe('a=3; b=2');
  });

  it('goes with a WebSocket of the same host, on any port', () => {
    expect(sent('http://127.0.0.1:8080/login', ['a=1; Path=/'], 'ws://127.0.0.1:9090/cable')).toBe('a=1');
  });

  it('goes to its host alone, or to a domain that it names', () => {
    const to = 'http://b.a.example/';
    expect(sent('http://a.example/', ['a=1'], to)).toBeUndefined();
    expect(sent('http://a.example/', ['a=1; Domain=.A.Example'], to)).toBe('a=1');
    expect(sent(to, ['a=1; Domain=a.example'], 'http://a.example/')).toBe('a=1');
    expect(sent('http://a.example/', ['a=1; Domain=a.example'], 'http://ba.example/')).toBeUndefined();
  });

  it('is ignored for a foreign domain, without a name, or too long', () => {
    for (const header of [
      'a=1; Domain=other.example',
      'a=1; Domain=b.a.example',
      '=1',
      'a',
      '',
      `a=${'x'.repeat(4096)}`,
    ])
      expect(sent('http://a.example/', [header])).toBeUndefined();
    expect(sent('http://127.0.0.1/', ['a=1; Domain=0.0.1'])).toBeUndefined();
  });

  it('goes to its path and below, the longest path first', () => {
    const all = ['a=1; Path=/', 'b=2; Path=/api', 'c=3', 'd=4; Path=api'];
    const from = 'http://a.example/api/v1/login';
    const to = (path: string) => sent(from, all, `http://a.example${path}`);
    expect(to('/')).toBe('a=1');
    expect(to('/apis')).toBe('a=1');
    expect(to('/api')).toBe('b=2; a=1');
    expect(to('/api/v1/rooms')).toBe('c=3; d=4; b=2; a=1');
  });

  it('that is secure goes over TLS, and to this machine', () => {
    const to = (url: string) => sent(url.replace(/^ws/, 'http'), ['a=1; Secure'], url);
    expect(
      ['wss://a.example/', 'ws://a.example/', 'ws://localhost/', 'ws://127.0.0.7/', 'ws://[::1]/'].map(to),
    ).toEqual(['a=1', undefined, 'a=1', 'a=1', 'a=1']);
  });

  it('expires', () => {
    const url = 'http://a.example/';
    const past = 'Expires=Tue, 06 Jan 2026 00:00:00 GMT';
    expect(sent(url, ['a=1; Max-Age=7'], url, 6999)).toBe('a=1');
    expect(sent(url, ['a=1; Max-Age=7'], url, 7000)).toBeUndefined();
    expect(sent(url, [`a=1; ${past}`])).toBeUndefined();
    expect(sent(url, [`a=1; Max-Age=7; ${past}`])).toBe('a=1');
    for (const end of ['Max-Age=0', 'Max-Age=-1', past]) expect(sent(url, ['a=1', `a=; ${end}`])).toBeUndefined();
    expect(sent(url, ['a=1; Max-Age=x; Expires=x'])).toBe('a=1');
  });
});

it('a client keeps the youngest 50', () => {
  const headers = Array.from({ length: 57 }, (_, index) => `c${index}=1`);
  const cookies = sent('http://a.example/', headers)?.split('; ');
  expect([cookies?.length, cookies?.[0]]).toEqual([50, 'c7=1']);
});
