import { basename, dirname, resolve } from 'node:path';
import type { z } from 'zod';
import { digestOf } from '../../contract/job.js';
import { type Problem, ProblemError, problem } from '../../contract/problems.js';
import { FlowFault, ModuleFolder } from '../../flow/module/load-flow.js';
import { loadProtocol } from '../../flow/module/load-protocol.js';
import { type Given, resolveOptions } from '../../options/resolve.js';
import { isMap, readYaml } from '../../units/text.js';
import { targetOptions } from '../plan/run-options.js';
import { bundleFlow } from './bundle.js';

/** A user's file as it is sent to shards. */
export interface SentModule {
  name: string;
  digest: string;
  body: Uint8Array;
}

/** The protocols of users that this process has read, by path: their names in runs, and what is sent. */
const known = new Map<string, { protocol: string; module: SentModule }>();

/** Returns true for the path of a file in place of a protocol's name. */
export function isProtocolFile(value: unknown): value is string {
  return typeof value === 'string' && /[/\\]|\.[cm]?[jt]s$/.test(value);
}

/** Returns the name in runs of a protocol, which may be given as the path of a file that is read. */
export function spokenProtocol(given: string | undefined): string | undefined {
  return isProtocolFile(given) ? (known.get(resolve(given))?.protocol ?? given) : given;
}

/** Returns the module of a protocol by its name in runs. Undefined for a protocol of ours. */
export function moduleOfProtocol(protocol: string): SentModule | undefined {
  return [...known.values()].find((each) => each.protocol === protocol)?.module;
}

const ofTarget = targetOptions.pick({ protocol: true, targetFiles: true });

/** Reads the protocols that a command gets as files, itself or in target files. Throws `ProblemError`. */
export async function readGivenProtocols(given: Given): Promise<void> {
  const { protocol, targetFiles = [] } = resolveOptions(ofTarget, given).values as z.output<typeof ofTarget>;
  const paths = isProtocolFile(protocol) ? [resolve(protocol)] : [];
  await readProtocols(paths.concat(targetFiles.flatMap(protocolFilesIn)));
}

/** Returns the paths of protocols in a file that describes targets: a target file, or a suite. */
export function protocolFilesIn(file: string): string[] {
  try {
    return protocolsIn(readYaml(file)).map((path) => resolve(dirname(file), path));
  } catch {
    // Whoever needs the file says what is wrong with it.
    return [];
  }
}

function protocolsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(protocolsIn);
  if (!isMap(value)) return [];
  return [...(isProtocolFile(value.protocol) ? [value.protocol] : []), ...Object.values(value).flatMap(protocolsIn)];
}

/** Bundles, imports and checks protocols of users. Throws `ProblemError` with all that is wrong. */
export async function readProtocols(paths: readonly string[]): Promise<void> {
  const folder = new ModuleFolder();
  const problems: Problem[] = [];
  for (const path of new Set(paths)) {
    try {
      const name = basename(path);
      const body = Buffer.from(await bundleFlow(path));
      const digest = digestOf(body);
      const protocol = await loadProtocol(await folder.write(digest, body), digest, name);
      known.set(path, { protocol, module: { name, digest, body } });
    } catch (error) {
      if (error instanceof FlowFault) problems.push(...error.faults.map((text) => problem('badFlow', text)));
      else if (error instanceof ProblemError) problems.push(...error.problems);
      else throw error;
    }
  }
  await folder.remove();
  if (problems.length > 0) throw new ProblemError(problems);
}
