import { findPackageJSON } from 'node:module'
import { dirname } from 'node:path'

/** The folder of the program, with its package.json: modules may be bundled, and so are not where their sources are. */
export const ROOT = dirname(findPackageJSON('.', import.meta.url) ?? '.')
