import { readdirSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

const brotli = promisify(brotliCompress)
const zip = promisify(gzip)

const MIN_BYTES = 512
/** The highest quality takes twice the time of the second highest, for 2 % fewer bytes. */
const LARGE = 200 * 1024

/** Writes `.br` and `.gz` next to each file that gets smaller by it. */
export async function writeCompressed(folder: string): Promise<void> {
  const names = readdirSync(folder).filter((name) => /\.(?:js|css|svg)$/.test(name))
  await Promise.all(names.map((name) => compress(join(folder, name))))
}

async function compress(file: string): Promise<void> {
  const bytes = await readFile(file)
  if (bytes.length < MIN_BYTES) return
  const quality = bytes.length > LARGE ? 10 : 11
  const [br, gz] = await Promise.all([
    brotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } }),
    zip(bytes, { level: 9 }),
  ])
  await Promise.all([writeFile(`${file}.br`, br), writeFile(`${file}.gz`, gz)])
}
