import { managedServer } from './launch/managed-server.js';
import type { Target } from './target.js';

/** The application in front of a target, to which it publishes at `publishUrl`. No client connects to it. */
export function application(publishUrl: string): Target {
  return managedServer({
    name: 'application',
    summary: 'an application that hands publishes on to a target',
    protocol: 'none',
    folder: 'application',
    flags: ['--publish-url', publishUrl],
    wsPath: '/',
  });
}
