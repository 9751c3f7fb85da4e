import type { JobStatus, ShardInfo } from '../src/contract/shard.js';
import { Member } from '../src/run/shards/member.js';
import type { ShardClient } from '../src/run/shards/shard-client.js';

/** What a shard answers; what a test does not ask is left out. */
export type ShardAnswers = { [Call in keyof ShardClient]?: unknown } & {
  status?: (...given: never[]) => Promise<unknown>;
};

/** A shard of a run that gives these answers. */
export function memberOf(answers: ShardAnswers = {}, leaseMs = 30_000): Member {
  const client = { url: 'http://ring:7001', ...answers } as unknown as ShardClient;
  return new Member(client, {} as ShardInfo, 'job', leaseMs);
}

/** Lets a shard have told that. */
export function tells(member: Member, status: object): Member {
  member.status = { ...member.status, ...status } as JobStatus;
  return member;
}

/** What a watch sees beside its shards: nothing happens. */
export const outsideOfRun = {
  interrupt: new AbortController().signal,
  targetGone: new Promise<string>(() => undefined),
  look: () => undefined,
};

/** The status of a shard at the first gate. */
export const shardAtGate = { state: 'running', waitingFor: 'start', progress: { subscribers: 7 } };

/** The status of a shard whose job is over. */
export const shardDone = {
  state: 'done',
  waitingFor: null,
  progress: {},
  result: { counts: {}, stop: { code: 'completed' } },
};
