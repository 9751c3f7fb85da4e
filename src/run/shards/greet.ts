import { contractVersion } from '../../contract/job.js';
import { type Problem, ProblemError, problem } from '../../contract/problems.js';
import type { ShardInfo } from '../../contract/shard.js';
import { version } from '../../contract/version.js';
import { NoAnswer } from './no-answer.js';
import type { ShardClient } from './shard-client.js';

/**
 * Asks every shard for its identity. Throws `ProblemError` if one is silent, speaks another contract, or is given
 * twice.
 */
export async function greetAll(shards: readonly ShardClient[]): Promise<ShardInfo[]> {
  const infos = await Promise.all(shards.map((shard) => greet(shard)));
  const problems = infos.flatMap(({ bootId }, index): Problem[] => {
    const first = infos.findIndex((other) => other.bootId === bootId);
    if (first === index) return [];
    const [one, other] = [shards[first]?.url, shards[index]?.url];
    const both = one === other ? `${one} is given twice` : `${one} and ${other} are one and the same bench-runner`;
    return [problem('shardTwice', `--shard: ${both}`)];
  });
  if (problems.length > 0) throw new ProblemError(problems);
  return infos;
}

async function greet(shard: ShardClient): Promise<ShardInfo> {
  const info = await answerOf(shard, shard.info());
  if (info.contract === contractVersion) return info;
  throw new ProblemError([
    problem(
      'shardForeign',
      `${shard.url}: expected contract ${contractVersion} (${version}), received ${info.contract} (${info.version})`,
    ),
  ]);
}

/** A shard's answer. Throws `ProblemError` if it refuses or is silent. */
export async function answerOf<T>({ url }: ShardClient, asked: Promise<T>): Promise<T> {
  return asked.catch((error: unknown) => {
    if (error instanceof ProblemError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    const message = error instanceof NoAnswer ? `${url} did not answer (${why})` : `${url}: ${why}`;
    throw new ProblemError([problem('shardUnreachable', message)]);
  });
}
