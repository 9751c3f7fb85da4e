import { describe, expect, it } from 'vitest';
import { type EngineOffer, type EngineUse, engineBreaks, engineProblems, enginesTogether } from './engine.js';

const use = (name: 'native' | 'js', more: Partial<EngineUse> = {}): EngineUse => ({
  ...{ name, handedOver: 7, reads: 5, exact: 4, bracketed: 2, unstamped: 1 },
  ...{ clockSteps: 0, loops: 1, cpuNs: 11, coreWaitNs: 3 },
  ...more,
});

describe('engines', () => {
  it('are summed by name', () => {
    const why = 'this Node has no OpenSSL 3 for wss://';
    expect(enginesTogether([use('native'), use('js', { why }), use('native', { exact: 31 })])).toEqual([
      {
        ...{ name: 'native', handedOver: 14, reads: 10, exact: 35, bracketed: 4, unstamped: 2 },
        ...{ clockSteps: 0, loops: 2, cpuNs: 22, coreWaitNs: 6 },
      },
      use('js', { why }),
    ]);
    expect(enginesTogether([])).toEqual([]);
  });

  it.each(['exact', 'bracketed', 'unstamped', 'handedOver'] as const)('break the books with one %s more', (name) => {
    expect(engineBreaks([use('native'), use('js')])).toEqual([]);
    const wrong = use('native', { [name]: use('native')[name] + 1 });
    expect(engineBreaks([wrong, use('js')])).toHaveLength(1);
  });
});

describe('an order for the native engine', () => {
  const lacking: EngineOffer = { name: 'js', why: 'there is no compiler' };
  const there: EngineOffer = { name: 'native', openssl: '3.0.19' };
  const withoutTls: EngineOffer = { name: 'native' };
  const codes = (order: Parameters<typeof engineProblems>[0], urls: string[], offer: EngineOffer): string[] =>
    engineProblems(order, urls, offer).map(({ code }) => code);
  const native = { client: 'wire', engine: 'native' } as const;

  it.each([
    [native, 'ws://127.0.0.1/', there, []],
    [native, 'ws://127.0.0.1/', lacking, ['engineLacking']],
    [native, 'wss://127.0.0.1/', there, []],
    [native, 'wss://127.0.0.1/', withoutTls, ['engineLacking']],
    [native, 'ws://127.0.0.1/', withoutTls, []],
    [{ ...native, engine: 'auto' }, 'wss://127.0.0.1/', lacking, []],
    [{ ...native, engine: 'js' }, 'ws://127.0.0.1/', there, []],
    [{ ...native, client: 'library' }, 'wss://127.0.0.1/', lacking, []],
  ] as const)('%j of %s with %j: %j', (order, url, offer, expected) => {
    expect(codes(order, ['ws://127.0.0.7/', url], offer)).toEqual(expected);
  });
});
