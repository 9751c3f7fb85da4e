import { sumCounts } from '../../measure/samples/sums.js';
import type { RoleReport } from '../scenario.js';
import type { Visitors } from './visitors.js';

/** An audience's live figures with those of its visitors. */
export function progressWith(progress: Record<string, number>, { there }: Visitors): Record<string, number> {
  return { ...progress, subscribers: (progress.subscribers ?? 0) + there, visitors: there };
}

/** An audience's report with what became of its visitors. */
export function reportWith({ counts, causes, samples, ...rest }: RoleReport, visitors: Visitors): RoleReport {
  const visits = visitors.report();
  return {
    ...rest,
    counts: { ...counts, ...visits.counts },
    causes: {
      ...causes,
      arrive: visits.causes.arrive,
      close: sumCounts([causes.close ?? {}, visits.causes.close]),
      visitCut: visits.causes.close,
    },
    samples: { ...samples, ...visits.samples },
  };
}
