import { ownServer } from './launch/own-server.js';
import type { Target } from './target.js';

/** The application that stands before a target and publishes to it at `publishUrl`: started like a target, and no contestant, for no client connects to it. */
export function application(publishUrl: string): Target {
  return ownServer({
    name: 'application',
    summary: 'an application that hands publishes on to a target',
    protocol: 'none',
    folder: 'application',
    flags: ['--publish-url', publishUrl],
    wsPath: '/',
    hint: 'Install the dependencies: npm ci.',
  });
}
