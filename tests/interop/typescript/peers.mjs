// The npm packages that tests/interop/npm/install has installed in the folder LANYARD_INTEROP_NPM.
import { createRequire } from 'node:module';
import path from 'node:path';

export const folder = path.resolve(process.env.LANYARD_INTEROP_NPM);
export const load = createRequire(path.join(folder, 'package.json'));

/** The program under test. */
export const lanyard = path.resolve(process.env.LANYARD_PROGRAM);
