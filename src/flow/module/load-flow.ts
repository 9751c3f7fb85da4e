import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { packageFile } from '../../units/package-files.js';
import type { Flow } from '../api.js';
import { thrownInWords } from '../user-code.js';

const work = z.custom<() => Promise<unknown>>((value) => typeof value === 'function', 'expected a function');
const texts = z.array(z.string());
const metric = exactly({ meaning: z.string().min(1), thresholds: texts.optional() });

const flowSchema = exactly({
  client: work,
  // Its rows are read only when asked for.
  data: z.custom((value) => typeof value === 'object', 'expected csv(…) or json(…)').optional(),
  setup: work.optional(),
  teardown: work.optional(),
  metrics: z.record(z.string().regex(/^[a-zA-Z]\w{0,63}$/, 'expected a name of letters and digits'), metric).optional(),
  thresholds: texts.optional(),
  afterwards: z.enum(['leave', 'again']).optional(),
  onError: z.enum(['leave', 'replace', 'stop']).optional(),
} satisfies Record<keyof Flow, z.ZodType>);

/** Names the error in other threads, which do not share the class. */
export const flowFaultName = 'FlowFault';

/** Error with all that is wrong with a user's file. Each fault begins with the name of the file. */
export class FlowFault extends Error {
  override readonly name = flowFaultName;

  constructor(readonly faults: readonly string[]) {
    super(faults.join('\n'));
  }
}

/** Imports a bundle and returns the flow that it exports. `name` is the user's file. Throws `FlowFault`. */
export async function loadFlow(path: string, name: string): Promise<Flow> {
  return (await loadDefault(path, name, { schema: flowSchema, maker: 'defineFlow' })) as Flow;
}

/** Returns the default export of a bundle, checked. `maker`: the function that users make it with. Throws. */
export async function loadDefault(
  path: string,
  name: string,
  { schema, maker }: { schema: z.ZodType; maker: string },
): Promise<object> {
  // Stacks then name lines of the user's file.
  process.setSourceMapsEnabled(true);
  const { default: loaded } = await importBundle(path, name);
  if (typeof loaded !== 'object' || loaded === null)
    throw new FlowFault([`${name}: expected \`export default ${maker}({ … })\`, received ${kindOf(loaded)}`]);
  const read = schema.safeParse(loaded);
  if (read.success) return loaded;
  throw new FlowFault(read.error.issues.map((issue) => `${name}: ${faultOf(issue)}`));
}

async function importBundle(path: string, name: string): Promise<{ default?: unknown }> {
  try {
    return await import(pathToFileURL(path).href);
  } catch (error) {
    throw new FlowFault([thrownInWords(error, name)]);
  }
}

/** A map of these keys alone. Its fault lists them. */
export function exactly<S extends z.core.$ZodLooseShape>(shape: S) {
  const known = Object.keys(shape).join(', ');
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys' ? `expected only ${known}, received ${issue.keys.join(', ')}` : undefined,
  });
}

function faultOf(issue: z.core.$ZodIssue): string {
  const place = issue.path.length > 0 ? `${issue.path.join('.')}: ` : '';
  const said = issue.code === 'invalid_key' ? issue.issues.map(({ message }) => message).join('; ') : issue.message;
  return place + said.replace(/^[^:]*: (?=expected)/, '');
}

function kindOf(value: unknown): string {
  if (value === undefined || value === null) return 'none';
  return `a ${typeof value}`;
}

/** What bundles import, and what it resolves to here. */
const own = {
  'package.json': '{ "type": "module", "exports": { "./flow": "./flow.js" } }\n',
  'flow.js': `export * from ${JSON.stringify(pathToFileURL(packageFile('dist/src/flow/index.js')).href)};\n`,
};

/** A private temporary folder of modules, in which they find the `ringside-bench/flow` of this installation. */
export class ModuleFolder {
  #path: Promise<string> | undefined;

  /** Writes a module and returns its path. The first one makes the folder. */
  async write(digest: string, body: Uint8Array | string): Promise<string> {
    this.#path ??= makeFolder();
    const path = join(await this.#path, `${digest}.mjs`);
    const draft = `${path}.${randomUUID()}`;
    await writeFile(draft, body);
    // Another caller may have written it, and a worker may read it now.
    await rename(draft, path);
    return path;
  }

  async remove(): Promise<void> {
    if (this.#path !== undefined) await rm(await this.#path, { recursive: true, force: true });
  }
}

async function makeFolder(): Promise<string> {
  // Only its user may enter it.
  const path = await mkdtemp(join(tmpdir(), 'ringside-modules-'));
  const folder = join(path, 'node_modules/ringside-bench');
  await mkdir(folder, { recursive: true });
  for (const [name, text] of Object.entries(own)) await writeFile(join(folder, name), text);
  return path;
}
