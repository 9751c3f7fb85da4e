import { createSocket } from 'node:dgram';
import { isIP, isIPv4 } from 'node:net';
import { type Problem, problem } from '../contract/problems.js';
import { parseAddressRanges } from '../units/addresses.js';
import type { Job } from '../worker/parse-job.js';

const notOurs = ['EADDRNOTAVAIL', 'EINVAL', 'EAFNOSUPPORT'];

/** The first source address of a job that this machine does not have, and the first that can't reach the target. */
export async function sourceProblems({ load, target }: Pick<Job, 'load' | 'target'>): Promise<Problem[]> {
  const { addresses } = parseAddressRanges(load.localAddresses);
  const { wsUrls, publishUrl, furtherPublishUrls, inProcessUrl } = target;
  const urls = [...wsUrls, publishUrl, ...furtherPublishUrls, ...(inProcessUrl ? [inProcessUrl] : [])];
  const hosts = urls.map((url) => new URL(url).hostname.replace(/^\[|\]$/g, ''));
  const problems: Problem[] = [];
  for (const address of addresses) {
    // The family of a host name is not known yet.
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

/** Whether a socket can be bound to the address. Other errors show up when clients connect. */
async function isOurs(address: string): Promise<boolean> {
  // Linux has all of 127.0.0.0/8.
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
