import { runSibling } from '../siblings/sibling.js';
import { UwsApp } from './app.js';
import { loadUws } from './library.js';

export interface UwsFacts {
  /** Folder of `--packages`. */
  packages?: string | undefined;
}

await runSibling<UwsFacts>(({ packages }, say) => {
  return new UwsApp(loadUws('uws', packages), {
    settings: {},
    relay: (stream, text) => say({ kind: 'publish', stream, text }),
  });
});
