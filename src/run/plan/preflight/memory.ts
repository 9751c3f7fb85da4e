import { type Problem, problem } from '../../../contract/problems.js';
import { clientBytes, kernelBytes } from './connection-memory.js';
import { inWords, isNativeOn, type Need, type Part, together } from './need.js';

/** A machine, or a shard that has less than its machine, without the memory that its connections need. */
export function memoryProblems(need: Need, parts: readonly Part[]): Problem[] {
  const all = together(parts);
  const limits = parts.map(({ info }) => info.limits);
  // A managed target and the shards beside it share what this process may have.
  if (need.targetClockId === all.info.clockId) {
    const { connection, process } = need.targetBytes;
    const ofTarget = (all.clients + all.halfOpen) * (kernelBytes + connection) + need.targetProcesses * process;
    const available = least(limits.map(({ memoryAvailableBytes }) => memoryAvailableBytes));
    return lacking(all, ofRig(need, parts) + ofTarget, available, ' with both ends');
  }
  const ofShards = parts.flatMap((part) => lacking(part, ofRig(need, [part]), part.info.limits.memoryAvailableBytes));
  if (ofShards.length > 0 || parts.length === 1) return ofShards;
  return lacking(all, ofRig(need, parts), least(limits.map((each) => each.machineMemoryAvailableBytes)));
}

function ofRig(need: Need, parts: readonly Part[]): number {
  const bytes = parts.map(({ clients, halfOpen, info }) => {
    const each = isNativeOn(info, need) ? clientBytes.native : clientBytes.js;
    return clients * each + (clients + halfOpen) * kernelBytes;
  });
  return bytes.reduce((sum, each) => sum + each, 0);
}

function lacking({ urls, ...part }: Part, bytes: number, available: number | null, ends = ''): Problem[] {
  if (available === null || bytes <= available) return [];
  const message = `${urls.join(', ')}: ${inWords(part)} need about ${inGb(bytes)} of memory${ends}`;
  return [problem('memoryLimit', `${message}; ${inGb(available)} are available`)];
}

function least(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : Math.min(...known);
}

function inGb(bytes: number): string {
  return `${(bytes / 1e9).toFixed(2)} GB`;
}
