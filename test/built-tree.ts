import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The compiled tree: `dist`, or what `RINGSIDE_DIST` names, from the root of the repository. */
export const builtTree = resolve(root, process.env.RINGSIDE_DIST ?? 'dist');

/** The compiled targets: they look for their servers beside themselves, where a source file would find none. */
export async function builtTargets(): Promise<
  typeof import('../src/targets/list.js') &
    typeof import('../src/targets/launch/process.js') &
    typeof import('../src/targets/launch/start-error.js')
> {
  const modules = ['list', 'launch/process', 'launch/start-error'].map(
    (name) => pathToFileURL(join(builtTree, 'src/targets', `${name}.js`)).href,
  );
  return Object.assign({}, ...(await Promise.all(modules.map((href) => import(href)))));
}
