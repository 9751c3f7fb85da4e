import { type Problem, problem } from '../../../contract/problems.js';
import { inWords, isNativeOn, type Need, type Part } from './need.js';

/** Descriptors that a process needs beside its clients: runtime, worker loops, publish connections, HTTP. */
export const descriptorsBeside = 200;

/** A shard without the descriptors that its clients need. */
export function shardDescriptors(need: Need, { urls: [url], clients, halfOpen, info }: Part): Problem[] {
  const { descriptors, descriptorsUsed } = info.limits;
  const publishes = need.maxInFlight * (need.jobs ?? 1);
  const sockets = clients + halfOpen;
  const perTable = isNativeOn(info, need) ? info.engine.clientsPerTable : undefined;
  // The native engine has tables of its own, each with this limit, beside that of the process.
  const tables = perTable === undefined ? 1 : Math.max(1, Math.ceil(clients / perTable));
  const atOnce = perTable === undefined ? sockets + publishes : Math.max(publishes, Math.ceil(sockets / tables));
  const wanted = atOnce + descriptorsBeside;
  const free = descriptors === null ? null : descriptors - (descriptorsUsed ?? 0);
  if (free === null || wanted <= free) return [];
  const where = perTable === undefined ? '' : ' in one table';
  const what = `${inWords({ clients, halfOpen })} need ${wanted} file descriptors${where}`;
  const message = `${url}: ${what}; ${free} of ${descriptors} are free`;
  return [problem('descriptorLimit', message)];
}

/** A target whose processes do not have the descriptors that their connections need. */
export function targetDescriptors(need: Need): Problem[] {
  const { clients, halfOpen = 0, targetProcesses, targetDescriptors: limit } = need;
  const wanted = Math.ceil((clients + halfOpen) / targetProcesses) + descriptorsBeside;
  if (limit === null || wanted <= limit) return [];
  const who = `${inWords({ clients, halfOpen })} over ${targetProcesses} process(es)`;
  const message = `the target: ${who} need ${wanted} file descriptors in each; the limit is ${limit}`;
  const hint = 'Raise the limit (`ulimit -n`, LimitNOFILE=), ask for fewer clients, or set --target-processes.';
  return [problem('descriptorLimit', message, hint)];
}
