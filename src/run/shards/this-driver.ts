import { hostname, userInfo } from 'node:os';

/** Names this process to other drivers that find their shards held. */
export const thisDriver = `${userName()}@${hostname()}/${process.pid}`.slice(-100);

/** A user without an entry in the system's list, as in many containers, has a number only. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'someone');
  }
}
