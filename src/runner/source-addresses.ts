import { createSocket } from 'node:dgram';
import { isIP, isIPv4 } from 'node:net';
import { type Problem, problem } from '../contract/problems.js';
import { parseAddressRanges } from '../units/addresses.js';
import type { Job } from '../worker/parse-job.js';

const notOurs = ['EADDRNOTAVAIL', 'EINVAL', 'EAFNOSUPPORT'];

/** What is wrong with the source addresses that a job asks for: the first that this machine has not, and the first from which an address of the target can't be reached. */
export async function sourceProblems({ load, target }: Pick<Job, 'load' | 'target'>): Promise<Problem[]> {
  const { addresses } = parseAddressRanges(load.localAddresses);
  const { wsUrls, publishUrl, furtherPublishUrls, inProcessUrl } = target;
  const urls = [...wsUrls, publishUrl, ...furtherPublishUrls, ...(inProcessUrl ? [inProcessUrl] : [])];
  const hosts = urls.map((url) => new URL(url).hostname.replace(/^\[|\]$/g, ''));
  const problems: Problem[] = [];
  for (const address of addresses) {
    // What family a name has is known when it is resolved.
    const host = hosts.find((each) => isIP(each) !== 0 && isIP(each) !== isIP(address));
    if (host === undefined) continue;
    const message = `--local-address: expected addresses from which ${host} can be reached, received ${address}`;
    problems.push(problem('sourceAddress', message));
    break;
  }
  for (const address of addresses) {
    if (await isOurs(address)) continue;
    const message = `--local-address: expected addresses of this machine, received ${address}`;
    problems.push(problem('sourceAddress', message));
    break;
  }
  return problems;
}

/** Whether a socket can be bound to the address. What stands in its way for another reason is told when it does. */
async function isOurs(address: string): Promise<boolean> {
  // Linux answers for all of 127.0.0.0/8.
  if (process.platform === 'linux' && isIPv4(address) && address.startsWith('127.')) return true;
  return new Promise((resolve) => {
    const socket = createSocket(isIPv4(address) ? 'udp4' : 'udp6');
    const told = (isBound: boolean): void => {
      socket.close();
      resolve(isBound);
    };
    socket.once('error', ({ code = '' }: NodeJS.ErrnoException) => told(!notOurs.includes(code)));
    socket.bind({ address, port: 0, exclusive: true }, () => told(true));
  });
}
