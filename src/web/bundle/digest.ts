import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'

export const ROOT = join(import.meta.dirname, '../../..')
export const ISLANDS = join(ROOT, 'src/web/islands')
export const STYLES = join(ROOT, 'src/web/styles')
/** One folder for each state of the sources, named by its digest. */
export const OUTPUT = join(ROOT, 'dist/web')

/** All that the bundles are made of: islands may use `lib`, and the lock file names their libraries. */
const SOURCES = [ISLANDS, STYLES, join(ROOT, 'src/web/bundle'), join(ROOT, 'src/lib')]
const LOCK = join(ROOT, 'package-lock.json')

/** A digest of all that the bundles are made of: equal digests, equal bundles. */
export function sourcesDigest(): string {
  const hash = createHash('sha256')
  for (const file of [...SOURCES.flatMap(filesIn), LOCK]) {
    hash
      .update(`${relative(ROOT, file)}\0`)
      .update(readFileSync(file))
      .update('\0')
  }
  return hash.digest('hex').slice(0, 20)
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
}
