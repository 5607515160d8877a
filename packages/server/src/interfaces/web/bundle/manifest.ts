import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ISLANDS, OUTPUT, sourcesDigest } from './digest.ts'

/** The results of a build, by the names of the sources: `recto.css`, `shell.js`. */
export interface Manifest {
  readonly entries: Readonly<Record<string, AssetEntry>>
}

export interface AssetEntry {
  /** The name of the file, which contains a digest of its bytes. */
  readonly file: string
  /** The modules that it imports, which a browser may preload. */
  readonly imports: readonly string[]
  /** What it imports once the screen is drawn, for its `data-parts`. */
  readonly late: readonly string[]
  /** The messages of a script and of all that it may import. */
  readonly messages: readonly string[]
}

export const MANIFEST = 'manifest.json'

/**
 * The folder with the bundles of the present sources; undefined if there is none yet. The package contains bundles
 * without their sources.
 */
export function builtFolder(): string | undefined {
  const folder = join(OUTPUT, existsSync(ISLANDS) ? sourcesDigest() : (packedFolder() ?? ''))
  return existsSync(join(folder, MANIFEST)) ? folder : undefined
}

/** The manifest of such a folder. */
export function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, MANIFEST), 'utf8'))
}

function packedFolder(): string | undefined {
  return readdirSync(OUTPUT).find((name) => !name.startsWith('.'))
}
