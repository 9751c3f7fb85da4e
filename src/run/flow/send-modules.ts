import type { JobModule } from '../../contract/modules.js';
import { type Problem, problem } from '../../contract/problems.js';
import type { ShardInfo } from '../../contract/shard.js';
import { shardAnswer } from '../shards/dispatch.js';
import type { ShardClient } from '../shards/shard-client.js';
import type { PlannedModule } from './read-modules.js';

/** Explains which shards run no modules of users. */
export function moduleProblems(
  { modules = [] }: { modules?: readonly PlannedModule[] },
  shards: readonly { url: string; info: Pick<ShardInfo, 'allowsModules'> }[],
): Problem[] {
  if (modules.length === 0) return [];
  const names = modules.map(({ name }) => name).join(', ');
  return shards
    .filter(({ info }) => !info.allowsModules)
    .map(({ url }) => problem('modulesNotAllowed', `${url}: expected a bench-runner that runs ${names}`));
}

/** Sends modules to the shards that lack them. Returns them as jobs name them. Throws `ProblemError`. */
export async function sendModules(
  modules: readonly PlannedModule[],
  shared: readonly unknown[],
  shards: readonly ShardClient[],
): Promise<JobModule[]> {
  const send = async (shard: ShardClient): Promise<void> => {
    for (const { digest, body } of modules) {
      if (!(await shardAnswer(shard, shard.hasModule(digest)))) await shardAnswer(shard, shard.putModule(digest, body));
    }
  };
  await Promise.all(shards.map(send));
  return modules.map(({ digest, name, weight }, index) => {
    const value = shared[index] as JobModule['shared'];
    return { digest, name, weight, ...(value !== undefined && { shared: value }) };
  });
}
