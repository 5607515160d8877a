import assert from 'node:assert/strict'
import { buffer } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { writeZip, type ZipFile } from '../../src/lib/zip/zip-writer.ts'
import { assertStatus } from '../support/client.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
before(async () => {
  service = await startService()
})
after(() => service[Symbol.asyncDispose]())

test('a file of an archive whose name no page can have is named, and the others are imported', async () => {
  await service.admin.space('docs')
  const refused = [
    'trail .md',
    ' lead.md',
    'folder /a.md',
    'tab\tbed.md',
    `${'x'.repeat(256)}.md`,
    ' pic.png',
  ]
  const names = [...refused, 'a.md', 'b.png']
  async function* members(): AsyncGenerator<ZipFile> {
    for (const name of names) yield { name, modified: new Date(0), content: Buffer.from('text') }
  }
  const archive = await buffer(writeZip(members()))
  const answer = await service.admin.call('POST', '/spaces/docs/import', {
    body: archive,
    headers: { 'content-type': 'application/zip' },
  })
  const { created, files, ignoredFiles, ignoredFileNames } = assertStatus(answer, 200).json
  assert.deepEqual([created, files.created, ignoredFiles], [1, 1, refused.length])
  assert.deepEqual([...ignoredFileNames].sort(), [...refused].sort())
})
