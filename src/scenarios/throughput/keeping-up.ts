import type { Told } from '../../measure/declaration.js';
import type { LedgerEntries } from '../../measure/ledger.js';
import type { Summary } from '../../measure/samples/distribution.js';
import { jamsOf, restOf } from '../../measure/stats/jam.js';
import { jamFactsOf } from '../../measure/stats/jam-facts.js';
import { robustSlope } from '../../measure/stats/trend.js';
import { duration, rate } from '../../units/list.js';
import { broadcastMetrics, broadcastTimes } from '../metrics.js';
import { lastsMs } from '../pace.js';
import { broadcastsOf, isInBatches, type ThroughputOptions } from './options.js';

/** A second has the median of many broadcasts, so that few of them show a slope. */
const fewestSeconds = 4;
/** Below this share of the rate the run did not send what it was to send. */
const sentShare = 0.98;

/** Whether the server keeps up with the rate, and until when; undefined of batches, which nobody can time. */
export function keepingUp(
  metrics: Readonly<Record<string, Summary>>,
  ledger: LedgerEntries,
  _ms: (us: number | null) => string,
  { options, medians, leastUs }: Told<ThroughputOptions>,
): string | undefined {
  if (isInBatches(options)) return undefined;
  // Where visitors come and go, latency follows their number.
  const seconds = options.stages === undefined ? medians('deliveryFromIntended') : [];
  // A run that was ended early covers what it attempted.
  const broadcasts = Math.min(broadcastsOf(options), Number(ledger.attempted ?? 0));
  const times = broadcastTimes(broadcasts, options);
  const slope = robustSlope(seconds, fewestSeconds);
  const facts = jamFactsOf(
    {
      ...{ metrics, ledger, declared: broadcastMetrics, times, leastUs },
      growthUs: () => slope && slope * lastsMs(broadcasts, options.ratePerSecond),
    },
    { untaken: undefined, cut: 0, cutBy: '', gone: undefined },
  );
  const { signs, isSure } = jamsOf(facts, restOf(facts));
  const { achievedPerSecond, heldBack, scheduleMs } = facts;
  const asked = rate.print(options.ratePerSecond);
  if (signs.length === 0) {
    const isShort = heldBack === 0 && achievedPerSecond < options.ratePerSecond * sentShare;
    const sent = isShort ? `the ${rate.print(achievedPerSecond)} that it was sent of ${asked}` : asked;
    return `The server keeps up with ${sent} for all ${duration.print(Math.round(scheduleMs / 100) * 100)}.`;
  }
  const grows = signs.find(({ sign }) => sign === 'backlog-grows');
  const text = grows ? [whenItGrows(seconds, slope ?? 0), grows.text].join('') : signs[0]?.text;
  return isSure
    ? `The server does not keep up with ${asked}: ${text}.`
    : `Undecided whether the server keeps up with ${asked}: ${text}, but by the marks that need not be its own.`;
}

/** From when on all that comes is later than all before, and by how much of the slope; empty without such a time. */
function whenItGrows(seconds: readonly (readonly [atMs: number, us: number])[], usPerMs: number): string {
  const us = seconds.map(([, each]) => each);
  const [firstMs, nextMs] = seconds.map(([atMs]) => atMs);
  const leastUs = (usPerMs * ((nextMs ?? 0) - (firstMs ?? 0))) / 2;
  const from = us.findIndex((_, at) => at > 0 && Math.min(...us.slice(at)) > Math.max(...us.slice(0, at)) + leastUs);
  if (from < 0) return '';
  if (from === 1) return 'its backlog grows from the first second; ';
  const keptMs = ((seconds[from] as readonly [number, number])[0] - (firstMs as number)) as number;
  return `it does for ${duration.print(Math.round(keptMs / 1000) * 1000)}, then its backlog grows; `;
}
