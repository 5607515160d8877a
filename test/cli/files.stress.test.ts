import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { after, before, test } from 'node:test'
import { createClient } from '@recto/client/client.ts'
import { someBytes } from '../support/files.ts'
import { type Service, startService } from '../support/service.ts'
import { recto, runCommand } from '../support/terminal.ts'

const folder = mkdtempSync(join(tmpdir(), 'recto-cli-'))
const source = join(folder, 'source.bin')
const bytes = someBytes(2_500_000)
let service: Service
before(async () => {
  writeFileSync(source, bytes)
  service = await startService()
  await service.admin.space('docs')
})
after(async () => {
  await service[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

const env = () => ({ RECTO_URL: service.admin.base, RECTO_API_KEY: service.admin.key ?? '' })
const run = (...words: readonly string[]) => runCommand(['files', ...words], env())

test('a file is uploaded from the disk, and downloaded byte for byte to a file or to standard output', async () => {
  const put = await run('put', 'docs/a/one.bin', source)
  assert.equal(put.code, 0, put.err)
  assert.match(put.out, /^Wrote docs\/a\/one\.bin, version 1, application\/octet-stream: http/)
  const target = join(folder, 'copy.bin')
  const get = await run('get', 'docs/a/one.bin', target)
  assert.equal(get.code, 0, get.err)
  assert.ok(readFileSync(target).equals(bytes))
  const again = await run('get', 'docs/a/one.bin', target)
  assert.deepEqual([again.code, /exists already: use --force/.test(again.err)], [2, true])
  assert.equal((await run('get', 'docs/a/one.bin', target, '--force')).code, 0)
  const out = await run('get', 'docs/a/one.bin', '-')
  assert.ok(Buffer.from(out.out, 'latin1').equals(bytes))
  assert.equal(JSON.parse((await run('get', 'docs/a/one.bin', '--json')).out).size, bytes.length)
})

test('standard input is uploaded as a stream; a file that exists is replaced only by its version', async () => {
  const first = await recto(['files', 'put', 'docs/piped.txt'], env(), 'from a pipe')
  assert.equal(first.code, 0, first.err)
  const shown = await recto(['files', 'get', 'docs/piped.txt', '-'], env())
  assert.deepEqual([shown.code, shown.out], [0, 'from a pipe'])
  const taken = await run('put', 'docs/piped.txt', source)
  assert.equal(taken.code, 4)
  assert.match(taken.err, /docs\/piped\.txt exists: version 1, .* pass --version 1/)
  assert.match((await run('put', 'docs/piped.txt', source, '--version', '1')).out, /version 2/)
  assert.match((await run('put', 'docs/piped.txt', source, '--if-match', '*')).out, /version 3/)
  const old = await run('get', 'docs/piped.txt', '-', '--version', '1')
  assert.equal(old.out, 'from a pipe')
})

test('files are listed, moved, deleted and deleted permanently', async () => {
  await run('put', 'docs/m/x.bin', source)
  assert.match((await run('mv', 'docs/m/x.bin', 'docs/m/y.bin')).out, /^Moved docs\/m\/x\.bin to docs\/m\/y\.bin/)
  const listed = JSON.parse((await run('ls', 'docs/m/', '--json')).out)
  assert.deepEqual(
    listed.map(({ path }: { path: string }) => path),
    ['m/y.bin'],
  )
  assert.match((await run('ls', 'docs', '--type', 'image/')).err, /No such files/)
  const stale = await run('rm', 'docs/m/y.bin', '--version', '9')
  assert.equal(stale.code, 4)
  assert.match(stale.err, /^recto: It has changed: it is version 1 now, /)
  assert.match((await run('rm', 'docs/m/y.bin')).out, /Moved to the trash: docs\/m\/y\.bin/)
  assert.match((await run('ls', 'docs', '--trash')).out, /m\/y\.bin/)
  assert.match((await run('restore', 'docs/m/y.bin')).out, /Restored docs\/m\/y\.bin, version /)
  assert.equal((await run('restore', 'docs/m/none.bin')).code, 3)
  assert.equal((await run('rm', 'docs/m/y.bin')).code, 0)
  assert.match((await run('rm', 'docs/m/y.bin', '--purge')).out, /Permanently deleted docs\/m\/y\.bin/)
  assert.equal((await run('get', 'docs/m/y.bin', join(folder, 'none'))).code, 3)
  assert.equal(existsSync(join(folder, 'none')), false)
})

test('files that no page uses are listed', async () => {
  await service.admin.space('shown')
  for (const name of ['used.txt', 'left.txt', 'old.txt']) await run('put', `shown/${name}`, source)
  await service.admin.put('/pages/shown/page', '[the text](./used.txt)')
  const unused = await run('ls', 'shown', '--unused', '--json')
  assert.equal(unused.code, 0, unused.err)
  assert.deepEqual(
    JSON.parse(unused.out).map(({ path }: { path: string }) => path),
    ['left.txt', 'old.txt'],
  )
  assert.match((await run('ls', 'shown/old', '--unused')).out, /old\.txt/)
  const trash = await run('ls', 'shown', '--trash', '--unused')
  assert.deepEqual([trash.code, /without a prefix or other filters/.test(trash.err)], [64, true])
})

test('an invalid file name and an unreadable file are reported', async () => {
  assert.equal((await run('put', 'docs', source)).code, 64)
  const missing = await run('put', 'docs/z', join(folder, 'absent'))
  assert.deepEqual([missing.code, /cannot be read/.test(missing.err)], [2, true])
  const directory = await run('put', 'docs/z', folder)
  assert.deepEqual([directory.code, directory.err], [2, `recto: ${folder} cannot be read: it is a folder\n`])
})

test('a migration goes on after a step that is rejected for now or whose connection is cut', async () => {
  let steps = 0
  const server = createServer((request, response) => {
    request.resume()
    if (request.url === '/me') return response.end('{}')
    steps++
    if (steps === 2) return response.writeHead(503).end('{"code":"database_busy","detail":"Try again."}')
    if (steps === 3) return request.socket.destroy()
    response.end(JSON.stringify({ moved: 1, bytes: 10, next: steps === 1 ? 'a'.repeat(64) : null }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // it listens on TCP
  const moved = await runCommand(['files', 'migrate', 's3'], {
    RECTO_URL: `http://127.0.0.1:${port}`,
    RECTO_API_KEY: 'k',
  })
  server.closeAllConnections()
  server.close()
  assert.deepEqual([moved.code, moved.out, steps], [0, 'Moved 2 contents of files, 20 bytes.\n', 4], moved.err)
})

test('the client reports the progress of an upload', async () => {
  const client = createClient({ url: service.admin.base, key: service.admin.key })
  const seen: number[] = []
  const onProgress = (sent: number) => seen.push(sent)
  const pieces = [bytes.subarray(0, 1_000_000), bytes.subarray(1_000_000)].map((piece) => Uint8Array.from(piece))
  const stream = Readable.toWeb(Readable.from(pieces)) as ReadableStream<Uint8Array>
  const file = await client.files.put('docs', 'progress', stream, { createOnly: true, onProgress })
  assert.equal(file.size, bytes.length)
  assert.equal(seen.at(-1), bytes.length)
  assert.deepEqual(
    seen,
    [...new Set(seen)].sort((a, b) => a - b),
  )
  assert.ok(seen.length > 2, `${seen}`)
})
