import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './root.ts'

/** The version of this release. */
export function version(): string {
  return JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version
}
