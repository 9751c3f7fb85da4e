import { it } from 'vitest';
import { canHaveLossyLink } from '../../test/namespace.js';
import { isSeen } from '../../test/runs/lossy-link.js';

it.runIf(canHaveLossyLink)('a link that loses segments from the target to the rig is counted and judged', () =>
  isSeen('near', 'outOfOrder'),
);
