import { readFileSync } from 'node:fs';
import { type Problem, problem } from '../../contract/problems.js';
import { optionsOf } from '../../options/option.js';
import { protocolWith } from '../../protocols/list.js';
import { publishersOf } from '../../scenarios/job.js';
import { type LoadOptions, loadOptions } from '../../scenarios/load-options.js';
import type { Scenario } from '../../scenarios/scenario.js';
import { hostOf, isProxy, portOf } from '../../units/addresses.js';
import { numberOnly, slotsIn, withSlots } from '../../units/slots.js';
import { betweenIdentities, identityFault, pemFault } from '../../units/text.js';
import type { PlannedTarget } from '../server/planned.js';

const ofWireClients = ['compression', 'tlsResume', 'targetCert', 'targetKey', 'proxy', 'clientsPerHttp2'] as const;

/** Lists the options of the way to a target that real libraries do not take. */
export function libraryProblems(load: LoadOptions): Problem[] {
  if (load.client !== 'library') return [];
  const defaults = loadOptions.parse({});
  return optionsOf(loadOptions)
    .filter(({ key }) => ofWireClients.some((each) => each === key && load[each] !== defaults[each]))
    .map(({ flag }) =>
      problem(
        'badOption',
        `--${flag}: expected wire clients, as a library connects as it does, received --client library`,
        `Leave --client library out, or --${flag}.`,
      ),
    );
}

interface Planned {
  scenario: Scenario;
  options: Record<string, unknown>;
  load: LoadOptions;
}

/** Returns the load of a plan with the certificates of its clients, and with the proxy that leads to its target. */
export function withWay(
  { scenario, options, load }: Planned,
  target: PlannedTarget,
  env: Readonly<Record<string, string | undefined>>,
  problems: Problem[],
): LoadOptions {
  const { targetKey: _, ...rest } = load;
  const protocol = protocolWith(target.protocol, target.protocolOptions ?? {});
  const clients = scenario.demand(options, load).clients + publishersOf(scenario, protocol, options, load);
  const url = target.isOurs ? 'ws://127.0.0.1' : target.wsUrl;
  problems.push(...http2Problems(load));
  return {
    ...rest,
    // Only it has them.
    engine: load.clientsPerHttp2 === undefined ? load.engine : 'js',
    targetCert: identitiesFrom(load, { first: 0, clients }, problems),
    proxy: load.proxy === 'env' ? proxyOf(env, url, problems) : load.proxy,
  };
}

/** Returns the load of one or two clients with their own certificates, authorities and proxy, for a trial. */
export function wayOfTrial(
  load: LoadOptions,
  { url, ...which }: Numbers & { url: string },
  env: Readonly<Record<string, string | undefined>>,
  problems: Problem[],
): LoadOptions {
  const { targetKey: _, caPem, ...rest } = load;
  return {
    ...rest,
    caPem: caPem === undefined ? undefined : readPem(caPem, problems),
    targetCert: identitiesFrom(load, which, problems),
    proxy: load.proxy === 'env' ? proxyOf(env, url, problems) : load.proxy,
  };
}

interface Numbers {
  first: number;
  clients: number;
}

function http2Problems({ clientsPerHttp2, engine, proxy }: LoadOptions): Problem[] {
  if (clientsPerHttp2 === undefined) return [];
  const wrong = { '--engine native': engine === 'native', '--proxy': proxy !== undefined };
  return Object.entries(wrong)
    .filter(([, isGiven]) => isGiven)
    .map(([flag]) => problem('badOption', `--http2: expected the engine in JavaScript and no proxy, received ${flag}`));
}

/** Reads each file once. The fault of a file names it, and quotes nothing of it. */
function identitiesFrom({ targetCert, targetKey }: LoadOptions, { first, clients }: Numbers, problems: Problem[]) {
  if (targetCert === undefined && targetKey !== undefined)
    problems.push(problem('badOption', '--target-key: goes with --target-cert, which is not given'));
  if (targetCert === undefined) return undefined;
  const paths = [targetCert, ...(targetKey === undefined ? [] : [targetKey])];
  const texts = new Map<string, string>();
  const count = slotsIn(paths.join()).includes('client') ? clients : 1;
  const all: string[] = [];
  for (let client = 0; client < count; client++) {
    const own = paths.map((path) => withSlots(path, numberOnly(first + client)));
    try {
      for (const path of own) if (!texts.has(path)) texts.set(path, readFileSync(path, 'utf8'));
      const text = own.map((path) => texts.get(path)).join('\n');
      const fault = identityFault(text);
      if (fault !== undefined) throw new Error(`${own.join(' and ')}: ${fault}`);
      all.push(text);
    } catch (error) {
      const why = (error as Error).message;
      problems.push(problem('badOption', `--target-cert: expected a certificate and its key in PEM, received ${why}`));
      break;
    }
  }
  return all.join(betweenIdentities);
}

/** Returns the proxy of HTTPS_PROXY or HTTP_PROXY for an address. Undefined if NO_PROXY excludes its host or port. */
export function proxyOf(
  env: Readonly<Record<string, string | undefined>>,
  url: string,
  problems: Problem[],
): string | undefined {
  const textOf = (name: string): string => env[name.toLowerCase()] || env[name] || '';
  const name = url.startsWith('wss:') ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const proxy = textOf(name);
  if (proxy === '' || !isProxy(proxy)) {
    const received = proxy === '' ? 'nothing' : 'another value';
    problems.push(problem('badOption', `--proxy env: expected http://host:port in ${name}, received ${received}`));
    return undefined;
  }
  const excluded = textOf('NO_PROXY')
    .split(/[\s,]+/)
    .filter(Boolean);
  const host = hostOf(url);
  const isExcluded = excluded.some((entry) => {
    const [, bare = '', ported = bare, port] = /^(?:\[([^\]]+)\]|([^:]+))?(?::(\d+))?$/.exec(entry) ?? [];
    const each = (ported || entry).replace(/^\*?\./, '');
    const isHost = each === '*' || host === each || host.endsWith(`.${each}`);
    return isHost && (port === undefined || port === portOf(url));
  });
  return isExcluded ? undefined : proxy;
}

/** Returns the certificates of a PEM file; undefined with a problem if it has none. */
export function readPem(path: string, problems: Problem[]): string | undefined {
  try {
    const pem = readFileSync(path, 'utf8');
    const fault = pemFault(pem);
    if (fault === undefined) return pem;
    problems.push(problem('badOption', `--ca: expected a PEM file of certificates, received ${path}: ${fault}`));
  } catch (error) {
    problems.push(
      problem('badOption', `--ca: expected a PEM file of certificates, received ${path}: ${(error as Error).message}`),
    );
  }
  return undefined;
}
