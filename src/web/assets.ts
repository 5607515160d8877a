import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'

/** A file that browsers load. Its address holds a digest of its bytes, so that it may be kept for ever. */
export interface Asset {
  readonly path: string
  readonly bytes: Buffer
  readonly contentType: string
}

const FOLDER = join(import.meta.dirname, 'assets')
const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

const byName = new Map(readdirSync(FOLDER).map((name) => [name, load(name)]))
const byPath = new Map([...byName.values()].map((asset) => [asset.path, asset]))

/** The address of an asset by its file name. */
export function assetPath(name: string): string {
  const asset = byName.get(name)
  if (!asset) throw new Error(`There is no asset ${name}`)
  return asset.path
}

/** The asset at an address. */
export function findAsset(path: string): Asset | undefined {
  return byPath.get(path)
}

function load(name: string): Asset {
  const bytes = readFileSync(join(FOLDER, name))
  const extension = extname(name)
  const digest = createHash('sha256').update(bytes).digest('hex').slice(0, 12)
  return {
    path: `/assets/${name.slice(0, -extension.length)}.${digest}${extension}`,
    bytes,
    contentType: TYPES[extension] ?? 'application/octet-stream',
  }
}
