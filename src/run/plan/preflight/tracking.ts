import { type Problem, problem } from '../../../contract/problems.js';
import { inWords, type Need, type Part } from './need.js';

/** Entries that the rest of the machine keeps: once the table is full, its packets are dropped. */
const trackedBeside = 1000;

/** A machine whose kernel tracks connections, and not as many as the clients of its shards open. */
export function trackingProblems(need: Need, { urls, clients, halfOpen, info }: Part): Problem[] {
  const { connectionTracking } = info.limits;
  if (connectionTracking === null) return [];
  const { tracked, most } = connectionTracking;
  const free = Math.max(0, most - tracked - trackedBeside);
  if (clients + halfOpen <= free) return [];
  const what = 'the kernel tracks connections in this network (nf_conntrack_max)';
  const message = `${urls.join(', ')}: ${inWords({ clients, halfOpen })}, but ${what}; ${free} of ${most} are left`;
  const raise = 'raise net.netfilter.nf_conntrack_max';
  return need.targetClockId === null
    ? [problem('trackingLimit', message, `On that machine, ${raise}, or exempt the target by \`notrack\`.`)]
    : [problem('trackingLimit', message)];
}
