import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { open, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { readZipDirectory } from './zip-reader.ts'
import { writeZip, type ZipFile } from './zip-writer.ts'

const folder = mkdtempSync(join(tmpdir(), 'recto-zip-'))
after(() => rmSync(folder, { recursive: true, force: true }))

async function* emptyFiles(count: number): AsyncGenerator<ZipFile> {
  for (let index = 0; index < count; index++) {
    yield { name: `${index}.md`, modified: new Date(0), content: Buffer.alloc(0) }
  }
}

test('an archive of more than 65,535 files is ZIP64', async () => {
  const path = join(folder, 'many.zip')
  await writeFile(path, writeZip(emptyFiles(70_000)))
  await using file = await open(path, 'r')
  const directory = await readZipDirectory(file, { maxFiles: 100_000, maxBytes: 100 * 1024 * 1024 })
  assert.equal(directory.size, 70_000)
})
