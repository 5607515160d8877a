import { ByteReader } from './byte-reader.ts'
import { stripJpeg } from './jpeg.ts'
import { stripPng } from './png.ts'
import { stripWebp } from './webp.ts'

const HEAD_BYTES = 12
const PNG = '\x89PNG\r\n\x1a\n'

/** Streams the bytes of a file without the metadata of an image, such as the position of a photograph. */
export async function* withoutMetadata(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const reader = new ByteReader(pieces)
  const head = (await reader.peek(HEAD_BYTES)).toString('latin1')
  yield* chooseStripper(head)(reader)
}

function chooseStripper(head: string): (reader: ByteReader) => AsyncGenerator<Buffer> {
  if (head.startsWith('\xff\xd8\xff')) return stripJpeg
  if (head.startsWith(PNG)) return stripPng
  if (head.startsWith('RIFF') && head.endsWith('WEBP')) return stripWebp
  return (reader) => reader.pass()
}
