import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'

const ROOT = join(import.meta.dirname, '..')
const SOURCES = join(ROOT, 'packages')
/** What is not part of the program: tests, and what is bundled for browsers. */
const EXCLUDED = /\.test\.ts$|[/\\]interfaces[/\\]web[/\\](?:islands|styles)[/\\]/

/** A folder for each state of the sources, with the digest as its name. */
export const OUTPUT = join(ROOT, 'dist/server')

/** The folder with the bundle of the present sources; undefined if there is none. The package has no sources. */
export function builtFolder() {
  if (!existsSync(OUTPUT)) return undefined
  const name = existsSync(SOURCES) ? sourcesDigest() : readdirSync(OUTPUT).find((each) => !each.startsWith('.'))
  const folder = join(OUTPUT, name ?? '')
  return existsSync(join(folder, 'main.js')) ? folder : undefined
}

/**
 * The folders of former bundles that nobody needs: all but the newest. A service that is not restarted yet still loads
 * modules and workers from that one.
 */
export function outdatedFolders() {
  const present = builtFolder()
  const ageOf = (/** @type {string} */ folder) =>
    Date.now() - (statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0)
  return readdirSync(OUTPUT)
    .filter((name) => !name.startsWith('.'))
    .map((name) => join(OUTPUT, name))
    .filter((folder) => folder !== present)
    .sort((one, other) => ageOf(one) - ageOf(other))
    .slice(1)
}

/** A digest of the inputs of the bundle: equal digests, equal bundles. */
export function sourcesDigest() {
  const hash = createHash('sha256')
  const others = ['tools/build-server.ts', 'package-lock.json'].map((name) => join(ROOT, name))
  for (const file of [...programFiles(), ...others]) {
    hash
      .update(`${relative(ROOT, file)}\0`)
      .update(readFileSync(file))
      .update('\0')
  }
  return hash.digest('hex').slice(0, 20)
}

function programFiles() {
  return readdirSync(SOURCES, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !EXCLUDED.test(relative(ROOT, file)))
    .sort()
}
