import { z } from 'zod';
import { benchRunners } from '../../engines/deployed.js';
import type { EngineCommands } from '../../engines/engine-commands.js';
import { benchRunnerPort, type ShardSource } from './source.js';

/** Railway sets it in every deployment of its own. */
const insideVariable = 'RAILWAY_ENVIRONMENT_ID';

const variables = z.object({ RAILWAY_PUBLIC_DOMAIN: z.string().min(1).optional() });

/** Services of Railway: inside a deployment every replica by private network, elsewhere one public domain each. */
export const railway: ShardSource = {
  name: 'railway',
  asks: 'the private names inside Railway, else `railway variables` for the public domain',
  argument: { word: 'SERVICE,…', means: `services; by default ${benchRunners}` },
  hint: 'Run `railway login` and `railway link`, or run the driver in the same Railway environment.',
  async find(services = benchRunners, engine) {
    const names = services.split(',');
    if (engine.env[insideVariable])
      return { urls: names.map((name) => `dns+http://${name}.railway.internal:${benchRunnerPort}`), pending: [] };
    const domains = await Promise.all(names.map((name) => publicDomain(name, engine)));
    return {
      urls: domains.flatMap((domain) => (domain === undefined ? [] : [`https://${domain}`])),
      pending: names.filter((_, index) => domains[index] === undefined).map((name) => `${name}: no public domain`),
    };
  },
};

async function publicDomain(service: string, engine: EngineCommands): Promise<string | undefined> {
  const printed = await engine.ask('railway', ['variables', '--service', service, '--json']);
  return variables.parse(JSON.parse(printed)).RAILWAY_PUBLIC_DOMAIN;
}
