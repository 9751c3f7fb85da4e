import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { createSecureContext } from 'node:tls';
import { ProblemError, problem } from '../../contract/problems.js';
import type { ShardOptions } from '../plan/shard-options.js';

/** Containers of one host may share its name and use the same process ids. */
const mark = randomBytes(2).toString('hex');

/** Names this process to other drivers that find their shards held. Headers carry it, so it is ASCII without spaces. */
export const thisDriver = `${userName()}@${hostname()}/${process.pid}-${mark}`
  .replaceAll(/[^\x21-\x7e]/g, '?')
  .slice(-100);

/** Returns the user's name. A user without an entry in the system's list, as in many containers, has only a number. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'someone');
  }
}

export interface ShardIdentity {
  cert: string;
  key: string;
}

/** Reads the identity that the options name; undefined without one. Throws `ProblemError` if it is unusable. */
export function shardIdentityOf(fleet: Pick<ShardOptions, 'shardCert' | 'shardKey'>): ShardIdentity | undefined {
  const { shardCert, shardKey } = fleet;
  if (shardCert === undefined && shardKey === undefined) return undefined;
  try {
    if (shardCert === undefined || shardKey === undefined) throw new Error('one without the other');
    const identity = { cert: readFileSync(shardCert, 'utf8'), key: readFileSync(shardKey, 'utf8') };
    createSecureContext(identity);
    return identity;
  } catch (error) {
    const found = (error as Error).message;
    const message = `--shard-cert, --shard-key: expected PEM files of a certificate and its key, received ${found}`;
    throw new ProblemError([problem('badOption', message)]);
  }
}
