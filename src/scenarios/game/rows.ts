import type { TargetReading, Told } from '../../measure/declaration.js';
import type { LedgerEntries } from '../../measure/ledger.js';
import type { Summary } from '../../measure/samples/distribution.js';
import { ofStep } from '../steps/deal.js';
import { Hundreds } from './hundreds.js';
import type { GameOptions } from './options.js';

/** One hundred of clients: what was measured while it came in. */
export interface Row {
  clients: string;
  /** How long the hundred took to come in. */
  seconds: number;
  ping: Summary | undefined;
  pingAtLeast: Summary | undefined;
  delivery: Summary | undefined;
  /** Median readings of the target. */
  readings: Record<TargetReading, number | null>;
}

/** The hundreds of clients in which a ping was sent. */
export function rowsOf(
  metrics: Readonly<Record<string, Summary>>,
  entries: LedgerEntries,
  { options, reading }: Told<GameOptions>,
): Row[] {
  const hundreds = new Hundreds(options.stages);
  const of = (metric: string, hundred: number): Summary | undefined => metrics[ofStep(metric, hundred + 1)];
  return Object.keys((entries.playingAt ?? {}) as object)
    .map((clients, hundred) => {
      const [fromMs, toMs] = hundreds.spanMs(hundred);
      const read = (name: TargetReading): number | null => reading('play', name, fromMs, toMs);
      const readings = {
        cpuPercent: read('cpuPercent'),
        coreWaitPercent: read('coreWaitPercent'),
        eventLoopDelayP99Ms: read('eventLoopDelayP99Ms'),
        rssBytes: read('rssBytes'),
      };
      const [ping, pingAtLeast, delivery] = [of('ping', hundred), of('pingAtLeast', hundred), of('delivery', hundred)];
      return { clients, seconds: (toMs - fromMs) / 1000, ping, pingAtLeast, delivery, readings };
    })
    .filter(({ ping }) => (ping?.count ?? 0) + (ping?.unfinished ?? 0) > 0);
}
