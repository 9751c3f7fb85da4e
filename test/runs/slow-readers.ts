import { expect } from 'vitest';
import type { RunResult } from '../../src/results/result.js';
import { soundResult } from '../latency.js';
import { workplace } from '../workplace.js';

const place = workplace();
const [clients, slow, stopped] = [11, 2, 1];

/** Runs eleven clients, of which two read slowly and one not at all, and checks what holds of every such run. */
export async function measure(broadcasts: number, flags: readonly string[]): Promise<RunResult> {
  const sizes = {
    clients,
    broadcasts,
    'warm-up': 2,
    rate: '60/s',
    payload: '200kb',
    slow: '18%:50kb/s',
    stopped: '9%',
  };
  const load = Object.entries({ ...sizes, drain: '20s' }).flatMap(([flag, value]) => [`--${flag}`, String(value)]);
  const result = soundResult(await place.measure(['run', 'slow-readers', ...load, ...flags]));
  const healthy = clients - slow - stopped;
  expect(result.ledger).toMatchObject({
    acked: broadcasts,
    expected: healthy * broadcasts,
    delivered: healthy * broadcasts,
  });
  expect(result.ledger).toMatchObject({ deliveredBefore: (healthy * broadcasts) / 2, duplicate: 0, late: 0 });
  expect(result.ledger).toMatchObject({ slowReaders: slow + stopped, slowExpected: (slow + stopped) * broadcasts });
  expect([result.metrics.deliveryBefore?.count, result.metrics.delivery?.count]).toEqual([
    (healthy * broadcasts) / 2,
    (healthy * broadcasts) / 2,
  ]);
  return result;
}

export const counts = ({ ledger }: RunResult) => ledger as Record<string, number>;
