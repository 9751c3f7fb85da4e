import { basename } from 'node:path';
import { ProblemError, problem } from '../../contract/problems.js';
import { packBundle } from '../../run/flow/bundle.js';
import { readModules } from '../../run/flow/read-modules.js';
import { isProtocolFile, moduleOfProtocol, readProtocols, spokenProtocol } from '../../run/flow/read-protocols.js';
import { flow } from '../../scenarios/flow/index.js';

/** Where a driver elsewhere finds the files of the user. */
export const moduleFolder = '/modules';

/** Most bytes that a Secret of Kubernetes holds. */
const mostBytes = 2 ** 20;

/** Paths below the folder, and what lies there: packed bundles. */
export type CarriedModules = Readonly<Record<string, Uint8Array>>;

const flowFile = /^[^-].*\.[cm]?[jt]s(=\d+)?$/;

function filesAmong(args: readonly string[]): { flows: number[]; protocols: number[] } {
  const isProtocol = (each: string, at: number): boolean =>
    isProtocolFile(args[at - 1] === '--protocol' ? each : /^--protocol=(.+)/.exec(each)?.[1]);
  const protocols = args.flatMap((each, at) => (isProtocol(each, at) ? [at] : []));
  const isFlow = (each: string, at: number): boolean => at > 1 && !protocols.includes(at) && flowFile.test(each);
  return { flows: args[1] === flow.name ? args.flatMap((each, at) => (isFlow(each, at) ? [at] : [])) : [], protocols };
}

/** Bundles the files of a run, and names them as the driver finds them. Throws `ProblemError`. */
export async function carryModules(args: readonly string[]): Promise<{ args: string[]; modules: CarriedModules }> {
  const { flows, protocols } = filesAmong(args);
  const carried = [...args];
  const modules: Record<string, Uint8Array> = {};
  const carry = (at: number, path: string, body: Uint8Array): void => {
    const place = `${at}/${basename(path)}`;
    carried[at] = args[at]!.replace(path, `${moduleFolder}/${place}`);
    modules[place] = packBundle(body);
  };
  const read = await readModules(
    flow,
    flows.map((at) => args[at]!),
  );
  for (const [index, { body }] of read.entries()) carry(flows[index]!, args[flows[index]!]!.replace(/=\d+$/, ''), body);
  for (const at of protocols) {
    const path = args[at]!.replace(/^--protocol=/, '');
    await readProtocols([path]);
    carry(at, path, moduleOfProtocol(spokenProtocol(path)!)!.body);
  }
  const bytes = Object.values(modules).reduce((sum, { length }) => sum + length, 0);
  if (bytes <= mostBytes) return { args: carried, modules };
  const [most, received] = [mostBytes, bytes].map((each) => `${(each / 2 ** 20).toFixed(2)} MiB`);
  const message = `${Object.keys(modules).map((each) => basename(each))}: expected at most ${most} when packed`;
  const hint = 'Leave out packages and rows, or run the driver yourself on a machine beside the shards.';
  throw new ProblemError([problem('badFlow', `${message}, as a Secret holds no more, received ${received}`, hint)]);
}
