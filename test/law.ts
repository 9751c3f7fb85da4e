import fc from 'fast-check';

type Arbitraries<Ts extends [unknown, ...unknown[]]> = { [K in keyof Ts]: fc.Arbitrary<Ts[K]> };

/** Checks a law for values drawn from arbitraries: `law(arbitrary, (value) => …)`. */
export function law<Ts extends [unknown, ...unknown[]]>(
  ...args: [...arbitraries: Arbitraries<Ts>, check: (...values: Ts) => void]
): void {
  law.with({}, ...args);
}

/** The same with settings of fast-check, such as the number of draws. */
law.with = <Ts extends [unknown, ...unknown[]]>(
  settings: fc.Parameters<Ts>,
  ...args: [...arbitraries: Arbitraries<Ts>, check: (...values: Ts) => void]
): void => fc.assert(fc.property(...args), settings);

export function asyncLaw<Ts extends [unknown, ...unknown[]]>(
  ...args: [...arbitraries: Arbitraries<Ts>, check: (...values: Ts) => Promise<void>]
): Promise<void> {
  return asyncLaw.with({}, ...args);
}

asyncLaw.with = <Ts extends [unknown, ...unknown[]]>(
  settings: fc.Parameters<Ts>,
  ...args: [...arbitraries: Arbitraries<Ts>, check: (...values: Ts) => Promise<void>]
): Promise<void> => fc.assert(fc.asyncProperty(...args), settings);
