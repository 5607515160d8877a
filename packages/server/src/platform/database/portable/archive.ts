import { DESCRIPTION, OWN_FOLDER, TAR_END, tarFile } from '../embedded/backup.ts'
import { openArchive, readAll, toReadError, toRelativeName } from '../embedded/restore.ts'
import { StartError } from '../embedded/start-error.ts'
import type { Description, Manifest, Piece, Progress } from './format.ts'

/*
 * The file of a portable backup: recto/backup.json, recto/secret-key, tables/<name>/<number>.copy, manifest.json, in a
 * tar archive that is compressed with zstd.
 */

const SECRET_KEY = `${OWN_FOLDER}secret-key`
const MANIFEST = 'manifest.json'
const PART = /^tables\/([a-z0-9_]+)\/\d+\.copy$/

/** The content of a file. `onManifest` is told of the manifest, which is the last. */
export async function* archivePieces(
  pieces: AsyncIterable<Piece>,
  secretKey: Buffer | undefined,
  { progress, onManifest }: { readonly progress: Progress; readonly onManifest: (manifest: Manifest) => void },
): AsyncGenerator<Buffer> {
  const now = new Date()
  let table = ''
  let part = 0
  for await (const piece of pieces) {
    if (piece.kind === 'description') {
      yield await tarFile(DESCRIPTION, toJson(piece.description), now)
      if (secretKey) yield await tarFile(SECRET_KEY, secretKey, now)
    } else if (piece.kind === 'rows') {
      part = piece.table === table ? part + 1 : 1
      table = piece.table
      yield await tarFile(`tables/${table}/${String(part).padStart(6, '0')}.copy`, piece.bytes, now)
      progress(table, piece.bytes.length)
    } else {
      yield await tarFile(MANIFEST, toJson(piece.manifest), now)
      onManifest(piece.manifest)
    }
  }
  yield TAR_END
}

/** Reads a file. The files of the data folder are added to `own` before the manifest comes, which is the last. */
export async function* readPieces(file: string, own: Map<string, Buffer>): AsyncGenerator<Piece> {
  using archive = openArchive(file)
  let manifest: Manifest | undefined
  try {
    for await (const entry of archive.entries) {
      const name = toRelativeName(entry)
      const bytes = await readAll(entry, name)
      const table = PART.exec(name)?.[1]
      if (table !== undefined) yield { kind: 'rows', table, bytes }
      else if (name === DESCRIPTION) yield { kind: 'description', description: parseDescription(bytes, file) }
      else if (name === SECRET_KEY) own.set(name.slice(OWN_FOLDER.length), bytes)
      else if (name === MANIFEST)
        manifest = JSON.parse(bytes.toString('utf8')) as Manifest // compared with what is loaded
      else throw new StartError(`${file} holds ${JSON.stringify(name)}, which no portable backup does.`)
    }
    // The checksum of the whole file is its end.
    await archive.end
  } catch (error) {
    throw toReadError(error, file)
  }
  if (!manifest) throw new StartError(`${file} is not a complete portable backup: it has no manifest.`)
  yield { kind: 'manifest', manifest }
}

function parseDescription(bytes: Buffer, file: string): Description {
  const description = JSON.parse(bytes.toString('utf8'))
  const { format, formatVersion, recto } = description
  if (format === 'recto-portable' && formatVersion === 1) return description
  if (format === 'recto-backup') throw new StartError(`${file} is a physical backup: restore it without --portable.`)
  if (format !== 'recto-portable') throw new StartError(`${file} is no backup of Recto.`)
  throw new StartError(
    `${file} has the version ${formatVersion} of the format: restore it with Recto ${recto} or newer.`,
  )
}

function toJson(value: object): Buffer {
  return Buffer.from(`${JSON.stringify(value, null, 2)}\n`)
}
