// The npm packages that tools/interop has installed in the folder LANYARD_INTEROP_NPM.
import path from 'node:path';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const folder = path.resolve(process.env.LANYARD_INTEROP_NPM);
const require = createRequire(path.join(folder, 'package.json'));

/** Imports a CommonJS module or one that its package exports for require. */
export const load = (name) => require(name);

/** Imports a file of a package. */
export const loadFile = (file) => import(pathToFileURL(path.join(folder, 'node_modules', file)));

/** The path of a program in a package. */
export const fileOf = (file) => path.join(folder, 'node_modules', file);
