import { readFile } from 'node:fs/promises';
import { loadFlow } from '../flow/module/load-flow.js';
import type { SharedFlow } from '../flow/parts.js';
import { namesWebSocket } from '../flow/web-socket/global-web-socket.js';
import type { PlainJob } from './messages.js';

/** Imports the modules of a job from their files, which are in the same order. Throws `FlowFault`. */
export function loadModules({ modules }: Pick<PlainJob, 'modules'>, files: readonly string[]): Promise<SharedFlow[]> {
  return Promise.all(
    modules.map(async ({ name, weight, shared }, index) => ({
      flow: await loadFlow(files[index]!, name),
      ...{ name, weight, shared },
      namesWebSocket: namesWebSocket(await readFile(files[index]!, 'utf8')),
    })),
  );
}
