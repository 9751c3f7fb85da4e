import { readFile } from 'node:fs/promises';
import type { Assets } from '../../render/html/runs.js';

/** The text of everything that a page carries inside it: the chart library, and our scripts as they are compiled. */
export async function pageAssets(): Promise<Assets & { liveScript: string }> {
  const text = (url: string): Promise<string> => readFile(new URL(url), 'utf8');
  const ours = async (name: string): Promise<string> => {
    const script = await text(new URL(`../../render/html/script/${name}.js`, import.meta.url).href);
    return script.replace(/^\/\/# sourceMappingURL=.*$/m, '');
  };
  const [uplotScript, uplotStyle, drawScript, liveScript] = await Promise.all([
    text(import.meta.resolve('uplot/dist/uPlot.iife.min.js')),
    text(import.meta.resolve('uplot/dist/uPlot.min.css')),
    ours('draw'),
    ours('live'),
  ]);
  return { uplotScript, uplotStyle, drawScript, liveScript };
}
