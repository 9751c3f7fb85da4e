import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, relative, resolve, sep } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Plugin, RolldownLog } from 'rolldown';
import { type Problem, ProblemError, problem, problemError } from '../../contract/problems.js';
import { packageScheme, sourceScheme } from '../../flow/user-code.js';
import { outsideText } from '../../units/text.js';

/** The import that each bench-runner resolves to its own copy. */
const flowPackage = 'ringside-bench/flow';
const packages = 'node_modules/';

/** SignalR hides what it requires from bundlers, and a shard does not have those packages. */
const hidden: Plugin = {
  name: 'hidden-requires',
  transform: {
    filter: { id: /@microsoft\/signalr\/dist\/.+\.js$/ },
    handler: (code) => code.replaceAll('requireFunc("', 'require("'),
  },
};

/** Packs a bundle for a driver elsewhere, which needs no bundler then. */
export function packBundle(body: Uint8Array): Uint8Array {
  return gzipSync(body, { level: 9 });
}

function packedIn(file: string): string | undefined {
  const bytes = existsSync(file) ? readFileSync(file) : Buffer.alloc(0);
  return bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes).toString() : undefined;
}

/**
 * Makes one ES module of a user's file and all that it imports, unless it is a packed bundle. Throws `ProblemError`,
 * which names file and line.
 */
export async function bundleFlow(file: string): Promise<string> {
  const packed = packedIn(file);
  if (packed !== undefined) return packed;
  const { rolldown } = await bundler();
  const folder = dirname(resolve(file));
  const unresolved: Problem[] = [];
  const problemOf = (log: RolldownLog): Problem => problem('badFlow', logInWords(log, folder, file), hintOn(log));
  try {
    const build = await rolldown({
      input: resolve(file),
      // Names in the bundle, and so its digest, do not depend on the folder.
      cwd: folder,
      platform: 'node',
      plugins: [hidden],
      external: [flowPackage, /^node:/],
      experimental: { attachDebugInfo: 'none' },
      onLog: (_level, log) => {
        // Libraries try packages that they can do without.
        if (log.code === 'UNRESOLVED_IMPORT' && !log.id?.replaceAll(sep, '/').includes(packages))
          unresolved.push(problemOf(log));
      },
    });
    const { output } = await build.generate({
      format: 'esm',
      codeSplitting: false,
      sourcemap: 'inline',
      sourcemapPathTransform: (source, map) => nameInMap(resolve(dirname(map), source), folder),
    });
    await build.close();
    if (unresolved.length > 0) throw new ProblemError(unresolved);
    return output[0].code;
  } catch (error) {
    const { errors } = error as { errors?: RolldownLog[] };
    throw errors ? new ProblemError(errors.map(problemOf)) : error;
  }
}

async function bundler(): Promise<typeof import('rolldown')> {
  try {
    return await import('rolldown');
  } catch (error) {
    const why = outsideText((error as Error).message);
    throw problemError('bundlerMissing', `expected the package rolldown, which bundles your file (${why})`);
  }
}

/** Names a source so that a stack tells the user's files from those of packages, without the user's folders. */
function nameInMap(path: string, folder: string): string {
  const place = relative(folder, path).replaceAll(sep, '/');
  const inPackage = place.lastIndexOf(packages);
  return inPackage === -1 ? `${sourceScheme}${place}` : `${packageScheme}${place.slice(inPackage + packages.length)}`;
}

function hintOn({ code, exporter = '' }: RolldownLog): string | undefined {
  if (code === 'UNRESOLVED_ENTRY') return 'Give the path of your file.';
  if (code !== 'UNRESOLVED_IMPORT' || /^[./]/.test(exporter)) return undefined;
  return `Install the package beside the file: npm i ${outsideText(exporter)}`;
}

function logInWords({ message, loc, code }: RolldownLog, folder: string, file: string): string {
  if (code === 'UNRESOLVED_ENTRY') return `${outsideText(file)}: expected a file, and there is none`;
  const first = outsideText(message.split('\n')[0] ?? '');
  const place =
    loc?.file === undefined
      ? basename(file)
      : `${relative(folder, loc.file).replaceAll(sep, '/')}:${loc.line}:${loc.column + 1}`;
  return `${place}: ${first.replace(`[${code}] `, '')}`;
}
