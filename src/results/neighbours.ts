import { coresBusy } from '../measure/verdict/machine-rules.js';
import { targetCoreWaitMs, targetCpuMs } from './over-time/core-time.js';
import type { RunResult } from './result.js';

/** The part of a machine's core time that other programs must take to matter where no core is idle. */
const noticedFrom = 0.1;

type Run = Pick<RunResult, 'verdict' | 'shards' | 'environment'>;

/** Whether no core was idle in a run and programs other than the target and the rig made that so. */
export function isHeldUp({ verdict, shards, environment }: Run): boolean {
  if (!verdict.doubts?.some(({ rule }) => rule === coresBusy)) return false;
  const { stages } = environment;
  const loadMs = Math.max(0, ...stages.map(({ toMs }) => toMs)) - environment.loadAtMs;
  const targetCores = loadMs > 0 ? (targetCpuMs(environment) ?? 0) / loadMs : 0;
  const all = shards.flatMap(({ result }) => result ?? []);
  return all.some(({ clockId, rig: { shard } }) => {
    const rigCores = all.filter((each) => each.clockId === clockId).reduce((sum, { rig }) => sum + coresOf(rig), 0);
    const busyCores = shard.coreBusy.reduce((sum, busy) => sum + busy, 0);
    return busyCores - rigCores - targetCores > noticedFrom * shard.coreBusy.length;
  });
}

type Rig = NonNullable<RunResult['shards'][number]['result']>['rig'];

function coresOf({ shard, workers }: Rig): number {
  const windowMs = Math.max(0, ...workers.map((worker) => worker.windowMs));
  return windowMs > 0 ? shard.cpuMs / windowMs : 0;
}

/** The most that other programs can have added to one latency of a run's target, in microseconds. */
export function addedByOthersUs(run: Run): number {
  if (!isHeldUp(run)) return 0;
  const waitedMs = targetCoreWaitMs(run.environment);
  return waitedMs === null ? Number.POSITIVE_INFINITY : waitedMs * 1000;
}
