import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { ProblemError, problem } from '../../contract/problems.js';
import type { ShardOptions } from '../plan/shard-options.js';

/** The certificate that a driver shows to its bench-runners, and the key of it, in PEM. */
export interface ShardIdentity {
  cert: string;
  key: string;
}

/** The identity that the options name; undefined without one. Throws `ProblemError` if it is of no use. */
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
