import { runSibling } from '../siblings/sibling.js';
import { RedisApp, type RedisFacts } from './app.js';

await runSibling<RedisFacts>((facts) => RedisApp.connect(facts));
