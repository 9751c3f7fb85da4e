/** The module `ringside-bench/flow`, which flows of users import. */

export * from '../protocols/definition.js';
export * from './api.js';
export { csv, json } from './data.js';
