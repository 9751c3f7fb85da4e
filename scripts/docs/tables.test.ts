import { expect, it } from 'vitest';
import { everyKind } from '../../test/doubles/option-schema.js';
import { optionsTable } from './tables.js';

it('prints a table in the order of declaration', () => {
  expect(optionsTable(everyKind)).toBe(
    [
      '| flag | default | meaning | environment |',
      '| --- | --- | --- | --- |',
      '| `--ramp-rate <rate>` | `7/s` | clients per second | `RINGSIDE_RAMP_RATE` |',
      '| `--client <wire\\|library>` | `wire` | kind of client | `RINGSIDE_CLIENT` |',
      '| `--no-probe` | `true` | prove it | `RINGSIDE_PROBE` |',
      '| `--quick` | `false` | less of it | `RINGSIDE_QUICK` |',
      '| `--address <ip>` | `a,b` | from a \\| b | `RINGSIDE_ADDRESS` |',
      '| `--token <text>` |  | secret | `RINGSIDE_TOKEN` |',
      '| `--name <text>` |  | its name | `RINGSIDE_NAME` |',
    ].join('\n'),
  );
});
