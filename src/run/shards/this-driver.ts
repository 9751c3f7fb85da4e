import { randomBytes } from 'node:crypto';
import { hostname, userInfo } from 'node:os';

/** Containers of one host may share its name and have the same process ids. */
const mark = randomBytes(2).toString('hex');

/** Names this process to other drivers that find their shards held. It travels in a header: ASCII, and no spaces. */
export const thisDriver = `${userName()}@${hostname()}/${process.pid}-${mark}`
  .replaceAll(/[^\x21-\x7e]/g, '?')
  .slice(-100);

/** A user without an entry in the system's list, as in many containers, has a number only. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'someone');
  }
}
