import type { JobModule } from '../../contract/job.js';
import { type Problem, problem } from '../../contract/problems.js';
import type { ShardInfo } from '../../contract/shard.js';
import type { Plan } from '../plan/plan.js';
import { shardAnswer } from '../shards/partial-body.js';
import type { ShardClient } from '../shards/shard-client.js';
import { moduleOfProtocol, type SentModule } from './read-protocols.js';

/** Explains which shards run no modules of users. */
export function moduleProblems(
  plan: Pick<Plan, 'modules' | 'target'>,
  shards: readonly { url: string; info: Pick<ShardInfo, 'allowsModules'> }[],
): Problem[] {
  const modules = sentFor(plan);
  if (modules.length === 0) return [];
  const names = modules.map(({ name }) => name).join(', ');
  return shards
    .filter(({ info }) => !info.allowsModules)
    .map(({ url }) => problem('modulesNotAllowed', `${url}: expected a bench-runner that runs ${names}`));
}

function sentFor({ modules = [], target }: Pick<Plan, 'modules' | 'target'>): SentModule[] {
  const ofProtocol = moduleOfProtocol(target.protocol);
  return [...modules, ...(ofProtocol ? [ofProtocol] : [])];
}

/** Sends modules to the shards that lack them. Returns those that clients run as jobs name them. Throws. */
export async function sendModules(
  plan: Pick<Plan, 'modules' | 'target'>,
  shared: readonly unknown[],
  shards: readonly ShardClient[],
): Promise<JobModule[]> {
  const send = async (shard: ShardClient): Promise<void> => {
    for (const { digest, body } of sentFor(plan)) {
      if (!(await shardAnswer(shard, shard.hasModule(digest)))) await shardAnswer(shard, shard.putModule(digest, body));
    }
  };
  await Promise.all(shards.map(send));
  return (plan.modules ?? []).map(({ digest, name, weight }, index) => {
    const value = shared[index] as JobModule['shared'];
    return { digest, name, weight, ...(value !== undefined && { shared: value }) };
  });
}
