import { z } from 'zod';
import { version } from '../../src/contract/version.js';
import { optionsOf } from '../../src/options/option.js';
import { resolveOptions } from '../../src/options/resolve.js';
import { metronomeOptions, ordersInWords, ordersOf } from '../../src/targets/metronome/orders.js';
import { fail, runServer, type TargetServer } from '../foreground.js';
import { listen, shut } from '../http-side.js';
import { statsReader } from '../stats.js';
import { dialects } from './dialects/list.js';
import { metronomeHttp } from './http.js';
import { Metronome } from './metronome.js';
import { MetronomeUpgrades, wallOptions } from './upgrades.js';

const name = 'metronome';

const commandLine = z.strictObject({
  protocol: z
    .enum(Object.keys(dialects) as [keyof typeof dialects, ...(keyof typeof dialects)[]])
    .default('ws-json')
    .meta({ flag: 'protocol', help: 'what clients speak' }),
  ...metronomeOptions.shape,
  ...wallOptions.shape,
});

await runServer(name, ({ values }) => createServer(values), { valued: optionsOf(commandLine).map(({ flag }) => flag) });

function createServer(values: Readonly<Record<string, string>>): TargetServer {
  const flags = Object.fromEntries(optionsOf(commandLine).map(({ key, flag }) => [key, values[flag]]));
  const resolved = resolveOptions(commandLine, { flags });
  if (!resolved.ok) {
    const lines = resolved.issues.map((each) => `${each.option}: expected ${each.expected}, received ${each.received}`);
    return fail(name, lines.join('; '), 2);
  }
  const { protocol, take, wall, together, keepBytes, backlog, ...options } = resolved.values;
  const dialect = dialects[protocol];
  const metronome = new Metronome(ordersOf(options), dialect);
  const stats = statsReader({
    versions: { metronome: version },
    settings: ordersInWords(options),
    connections: () => upgrades.count,
  });
  const http = metronomeHttp(metronome, stats, (many, code) => upgrades.closeOldest(many, code), dialect.api);
  const upgrades = new MetronomeUpgrades(http, metronome, dialect, { take, wall, together, keepBytes, backlog });
  return {
    version,
    listen: (host, port) => listen(http, host, port, backlog),
    close: () => shut(http, () => upgrades.close()),
  };
}
