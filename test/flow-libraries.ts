import { cpSync, existsSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { centrifugeNeed, flowLibrariesNeed, natsNeed } from '../src/targets/needs/list.js';
import { folderOf, lackOf, type Need } from '../src/targets/needs/need.js';
import { packageFile } from '../src/units/package-files.js';
import type { Command } from './command.js';
import type { Workplace } from './workplace.js';

/** The flow of a client library in `test/flows`, and the real server that it talks to. */
export interface LibraryFlow {
  name: string;
  needs: readonly Need[];
  serve(place: Workplace): Promise<number>;
}

const natsConfig = 'host: 127.0.0.1\nport: -1\nwebsocket { host: 127.0.0.1, port: -1, no_tls: true }\n';

/** Every client library that has a flow. */
export const libraryFlows: readonly LibraryFlow[] = [
  byNode('graphql-ws', 'examples/servers/graphql.mjs'),
  byNode('mqtt', 'examples/servers/mqtt.mjs'),
  ...['stomp', 'phoenix', 'signalr', 'hocuspocus', 'colyseus'].map((name) =>
    byNode(name, `test/flows/servers/${name}.mjs`),
  ),
  {
    name: 'centrifuge',
    needs: [flowLibrariesNeed, centrifugeNeed],
    serve: (place) => listening(place.start(join(folderOf(centrifugeNeed), 'centrifuge'), [])),
  },
  {
    name: 'nats',
    needs: [flowLibrariesNeed, natsNeed],
    async serve(place) {
      const config = join(place.folder, 'nats.conf');
      writeFileSync(config, natsConfig);
      const server = place.start(join(folderOf(natsNeed), 'bin/nats-server'), ['-c', config]);
      const [, port] = await server.said('stderr', /websocket clients on ws:\/\/[\d.]+:(\d+)/);
      return Number(port);
    },
  },
];

function byNode(name: string, server: string): LibraryFlow {
  return { name, needs: [flowLibrariesNeed], serve: (place) => served(place, besideLibraries(place, server)) };
}

/** Starts a server of a file and returns its port. */
export function served(place: Workplace, file: string, env: Record<string, string> = {}): Promise<number> {
  return listening(place.start(process.execPath, [file], { PORT: '0', ...env }));
}

async function listening(server: Command): Promise<number> {
  const [, port] = await server.said('stdout', /port\D+(\d+).*\n/);
  return Number(port);
}

const withLibraries = ['test/flows', 'examples/flows', 'examples/servers'];

/** Returns a copy of a file of these folders that lies where it finds the installed libraries. */
export function besideLibraries(place: Workplace, path: string): string {
  const folder = join(place.folder, 'beside-libraries');
  if (!existsSync(folder)) {
    for (const each of withLibraries) cpSync(packageFile(each), join(folder, each), { recursive: true });
    symlinkSync(join(folderOf(flowLibrariesNeed), 'node_modules'), join(folder, 'node_modules'));
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n');
  }
  return join(folder, path);
}

/** Returns why these needs are not met here and the command that installs them. Undefined if they are. */
export function whyNotHere(needs: readonly Need[]): string | undefined {
  const lack = lackOf(needs);
  return lack && `${lack.why} ${lack.hint}`;
}

/** Returns the title of a test that is run, or skipped for that reason. */
export function titleOf(name: string, why: string | undefined): string {
  return why === undefined ? name : `${name} is not here: ${why}`;
}
