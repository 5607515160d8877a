import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { ROOT } from '@recto/lib/root.ts'

export const ISLANDS = join(ROOT, 'packages/server/src/interfaces/web/islands')
export const STYLES = join(ROOT, 'packages/server/src/interfaces/web/styles')
/** A folder for each state of the sources, with the digest as its name. */
export const OUTPUT = join(ROOT, 'dist/web')

/** The inputs of the bundles: islands may use `lib` and the URLs of screens, and the lock file has their libraries. */
const SOURCES = [
  ISLANDS,
  STYLES,
  join(ROOT, 'packages/server/src/interfaces/web/bundle'),
  join(ROOT, 'packages/lib/src'),
]
const FILES = ['packages/server/src/interfaces/web/urls.ts', 'package-lock.json'].map((file) => join(ROOT, file))

/** A digest of the inputs of the bundles: equal digests, equal bundles. */
export function sourcesDigest(): string {
  const hash = createHash('sha256')
  for (const file of [...SOURCES.flatMap(filesIn), ...FILES]) {
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
