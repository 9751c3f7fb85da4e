import { authority } from './launch/address.js';
import { targetEnvironment } from './launch/child.js';
import { installedVersion } from './launch/installed-version.js';
import { lackOf } from './needs/lack.js';
import type { FilledNeed } from './needs/need.js';
import { pusherApp } from './pusher-app.js';
import type { Address, Target } from './target.js';

/** What an installed server of the Pusher protocol has of its own. */
interface PusherServer extends Pick<Target, 'name' | 'summary' | 'settings'> {
  need: FilledNeed;
  /** The program, to which `--version` and `startArgs` are added. */
  command(): readonly [string, ...string[]];
  startArgs?: readonly string[];
  environment(address: Pick<Address, 'host' | 'port'>): Record<string, string>;
}

/** An installed server of the Pusher protocol with the app of `pusherApp`, as a target of one process. */
export function pusherServer({ need, command, startArgs = [], environment, ...own }: PusherServer): Target {
  return {
    ...own,
    protocol: 'pusher',
    needs: [need],
    maxProcesses: 1,
    isApart: true,
    async availability() {
      const lack = lackOf([need]);
      if (lack) return { isAvailable: false, ...lack };
      const [program, ...args] = command();
      return installedVersion(program, args, targetEnvironment(), `Install it again: ringside install ${need.name}.`);
    },
    start({ host, port }) {
      const [program, ...args] = command();
      return { command: program, args: [...args, ...startArgs], env: environment({ host, port }) };
    },
    endpoints(address) {
      const http = `http://${authority(address)}`;
      const wsUrl = `ws://${authority(address)}${pusherApp.wsPath}`;
      return { wsUrl, wsUrls: [wsUrl], publishUrl: `${http}${pusherApp.publishPath}`, healthUrl: `${http}/ready` };
    },
  };
}
