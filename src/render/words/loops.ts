import type { ShardResult, WorkerSelf } from '../../contract/shard.js';

/** The event loops of a shard that had a load, and so have something to say of themselves. */
export function loadedLoops({ rig }: Pick<ShardResult, 'rig'>): readonly WorkerSelf[] {
  return rig.workers.filter(({ windowMs }) => windowMs > 0);
}
