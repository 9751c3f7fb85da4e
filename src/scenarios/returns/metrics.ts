import type { MetricSpec } from '../../measure/declaration.js';

/** How long a return took, as every scenario declares it that times it from the start of its attempt. */
export const reconnectMetric = {
  kind: 'distribution',
  unit: 'us',
  of: 'target',
  stampedBy: 'audience',
  meaning: 'from the start of the attempt that brought a client back to its subscription confirmed again',
} as const satisfies MetricSpec;

/** What clients waited between attempts, as every scenario declares it whose clients come back. */
export const waitMetric = {
  kind: 'distribution',
  unit: 'us',
  of: 'rig',
  meaning: 'after each cut by the target and each failed attempt: the seeded wait before the next attempt',
} as const satisfies MetricSpec;
